// What several screens show of a subscription and of its deliveries.
export { DeliveryTable, useDeliveryColumns } from "./delivery-table.tsx";
export { EVENT_TYPES, MASK, targetOf, thresholdWords } from "./subscription.ts";
