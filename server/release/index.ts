export { TARGETS } from "./targets.ts";
