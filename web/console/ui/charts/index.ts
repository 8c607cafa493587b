export { Bars, type Bucket, LineChart, type Series, Sparkline } from "./charts.tsx";
