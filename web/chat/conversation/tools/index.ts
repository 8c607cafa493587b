export { callStatus, STATUS_WORDS, StatusIcon } from "./call-status.tsx";
export { Elapsed } from "./elapsed.tsx";
export { PlanRow } from "./plan-row.tsx";
export { SubagentCard, subagentName, taskOf } from "./subagent-card.tsx";
export { useSubagentMessages } from "./subagent-messages.ts";
export { TodoList } from "./todos.tsx";
export { ToolCallRow } from "./tool-call.tsx";
