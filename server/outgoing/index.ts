export { type Outgoing, openOutgoing } from "./outgoing.ts";
export { runWebhooks } from "./run-webhooks.ts";
