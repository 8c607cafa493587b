export { completionOf } from "./completion.ts";
