export { isOpenAtGateway } from "./address.ts";
export { Gateway, type GatewayDeps } from "./gateway.ts";
export { type GatewayMountDeps, gatewayRoutes } from "./mount.ts";
