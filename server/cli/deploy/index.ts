export { deploy } from "./deploy.ts";
export { normalName } from "./project.ts";
