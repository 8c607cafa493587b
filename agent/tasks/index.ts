export { Tasks } from "./tasks.ts";
