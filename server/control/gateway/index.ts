export { Gateway, type GatewayDeps } from "./gateway.ts";
export { type GatewayMountDeps, gatewayRoutes } from "./mount.ts";
export type { DeploymentPages } from "./pages.ts";
