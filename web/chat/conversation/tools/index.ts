export { PlanRow, TodoList } from "./plan.tsx";
export { SubagentCard, subagentName, taskOf, useSubagentMessages } from "./subagent-card.tsx";
export { callStatus, Elapsed, STATUS_WORDS, StatusIcon, ToolCallRow } from "./tool-call.tsx";
