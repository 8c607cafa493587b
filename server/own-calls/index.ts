export { letOwnCallsIn, OWN_HEADER, type OwnCalls } from "./own-calls.ts";
export { tellClients } from "./own-clients.ts";
