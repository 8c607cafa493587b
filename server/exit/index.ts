export { refuseExits } from "./foreign-exits.ts";
export { leave } from "./leave.ts";
export { StartError } from "./start-error.ts";
