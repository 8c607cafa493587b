// What is said in a thread: its messages, the entries that they make up, and the components that a graph shows.
export { type Answer, type Entry, entriesOf, sameAnswer } from "./entries.ts";
export {
  type Attachment,
  type ChatMessage,
  isRecord,
  readMessages,
  type ToolCall,
  type Usage,
  writeTextFile,
} from "./message.ts";
export {
  AT_END,
  changedUi,
  placedUi,
  readUiChange,
  type UiChange,
  type UiMessage,
  uiOf,
} from "./ui-message.ts";
