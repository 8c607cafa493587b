export { Commands } from "./commands/commands.ts";
export type { CommandContext, CommandPermit } from "./commands/deps.ts";
export { Params } from "./commands/params.ts";
export { type CommandReply, type ErrorCode, errorReply, ProtocolError } from "./commands/reply.ts";
export type { Session, Wire } from "./commands/session.ts";
export { later, readSubscription, seqOfEventId } from "./commands/subscription.ts";
export { channelOf, type EventFilter, matches, type ThreadEvent } from "./event.ts";
export { ownerView } from "./owner-view.ts";
export { type EventBatch, type FollowOptions, ThreadEvents } from "./thread-events.ts";
