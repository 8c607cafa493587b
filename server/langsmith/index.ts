export { instanceEndpoint } from "./instance-door.ts";
export { langsmithRoutes } from "./routes.ts";
export { shipmentPath } from "./shipment.ts";
export { Shipper } from "./shipper.ts";
