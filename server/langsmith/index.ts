export { langsmithRoutes } from "./routes.ts";
export { shipmentPath } from "./shipment-path.ts";
export { Shipper } from "./shipper.ts";
