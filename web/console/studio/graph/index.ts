export { GraphView, type NodeLight } from "./graph-view.tsx";
export { isWithin } from "./layout.ts";
