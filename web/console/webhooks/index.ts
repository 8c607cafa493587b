export { DeliveryScreen } from "./delivery-screen.tsx";
export { WebhookScreen } from "./webhook-screen.tsx";
export { WebhooksScreen } from "./webhooks-screen.tsx";
