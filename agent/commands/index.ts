export { Commands } from "./commands.ts";
export type { CommandContext, CommandPermit } from "./deps.ts";
export { Params } from "./params.ts";
export { errorReply, ProtocolError } from "./reply.ts";
export type { ProtocolSession, Wire } from "./session.ts";
export { later, readSubscription, seqOfEventId } from "./subscription.ts";
