export { awaitTurn, isWatchedOver, takeTurn } from "./serving.ts";
export { DevSupervisor } from "./supervisor.ts";
