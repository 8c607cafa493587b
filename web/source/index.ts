// Where the chat gets its conversations: Berth's thread app, or what every Agent Server has.

export { ASSISTANTS_ASKED, offered } from "./assistant-order.ts";
export { useFoundSource } from "./find-source.ts";
export {
  type ChatSource,
  cancelRun,
  deleteThread,
  historyPath,
  renameThread,
  SourceContext,
  type ThreadPage,
  useSource,
} from "./source.ts";
