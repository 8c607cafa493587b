export {
  type CommandContext,
  type CommandPermit,
  errorReply,
  Params,
  ProtocolError,
} from "./command-call.ts";
export { Commands } from "./commands.ts";
export type { ProtocolSession, Wire } from "./session.ts";
export { later, readSubscription, seqOfEventId } from "./subscriptions.ts";
