export { runBerth } from "./berth.ts";
