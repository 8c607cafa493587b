import { ChevronRight, ListTodo } from "lucide-react";
import { memo } from "react";
import type { ChatMessage, ToolCall } from "../content/index.ts";
import { useConversation } from "../conversation-context.ts";
import { todosOf } from "../timeline/index.ts";
import { callStatus, STATUS_WORDS, StatusIcon } from "./call-status.tsx";
import { TodoItems } from "./todos.tsx";
import "./tools.css";
import "./plan-row.css";

/** A call that wrote the agent's plan: a quiet line, since the plan itself stands at the foot while it is followed. */
export const PlanRow = memo(function PlanRow({
  call,
  result,
}: {
  call: ToolCall;
  result: ChatMessage | undefined;
}) {
  const { busy, waiting } = useConversation();
  const status = callStatus(result, { busy, waiting });
  const todos = todosOf(call.args);
  const done = todos.filter((todo) => todo.status === "completed").length;
  return (
    <details className="call call-plan" data-testid="tool-call" data-status={status}>
      <summary>
        {status === "done" ? (
          <ListTodo className="call-plan-icon" aria-hidden />
        ) : (
          <StatusIcon status={status} />
        )}
        <span>{wordsFor(status, done)}</span>
        {todos.length > 0 && (
          <span className="call-gist">
            {done} of {todos.length} done
          </span>
        )}
        {(status === "waiting" || status === "unfinished") && (
          <span className="call-word">{STATUS_WORDS[status]}</span>
        )}
        <ChevronRight className="call-chevron" aria-hidden />
      </summary>
      <div className="call-body">
        <TodoItems todos={todos} />
        {result?.failed && <p className="call-word">{result.text}</p>}
      </div>
    </details>
  );
});

function wordsFor(status: string, done: number): string {
  if (status === "error") return "The plan could not be written";
  if (status === "running") return "Planning";
  return done === 0 ? "Made a plan" : "Updated the plan";
}
