export { Gateway } from "./gateway.ts";
export { gatewayRoutes } from "./mount.ts";
