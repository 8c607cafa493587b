export { Dots, sumUsage, UsageText } from "./answer-view.tsx";
export { MessageList, unknownIn } from "./message-list.tsx";
