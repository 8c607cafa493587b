export { Bars, type Bucket } from "./bars.tsx";
export { LineChart, type Series } from "./line-chart.tsx";
export { Sparkline } from "./sparkline.tsx";
