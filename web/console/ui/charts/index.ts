export { Bars, type CountBucket, LineChart, type Series, Sparkline } from "./charts.tsx";
