export { Dots } from "./answer-view.tsx";
export { MessageList } from "./message-list.tsx";
export { sumUsage, UsageText } from "./usage.tsx";
export { unknownIn } from "./use-unknown.ts";
