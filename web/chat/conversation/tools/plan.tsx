import { Check, ChevronDown, ChevronRight, Circle, CircleDot, ListTodo } from "lucide-react";
import { memo, useState } from "react";
import type { ChatMessage, MessageToolCall } from "../content.ts";
import { useConversation } from "../conversation-context.ts";
import { type Todo, todosOf } from "../timeline/index.ts";
import { WORDS } from "../words.tsx";
import { callStatus, STATUS_WORDS, StatusIcon } from "./tool-call.tsx";
import "./tools.css";
import "./plan-row.css";

/** A call that wrote the agent's plan: a quiet line, since the plan itself stands at the foot while it is followed. */
export const PlanRow = memo(function PlanRow({
  call,
  result,
}: {
  call: MessageToolCall;
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
        {todos.length > 0 && <span className="call-gist">{WORDS.ofDone(done, todos.length)}</span>}
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
  if (status === "error") return WORDS.planNotWritten;
  if (status === "running") return WORDS.planning;
  return done === 0 ? WORDS.madeAPlan : WORDS.updatedThePlan;
}

const ENTRY_WORDS = { pending: WORDS.toDo, in_progress: WORDS.inProgress, completed: WORDS.done };

/** Every entry of a plan, and how it is doing. */
function TodoItems({ todos }: { todos: Todo[] }) {
  return (
    <ol className="todos-items">
      {todos.map(({ content, status }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the plan
        <li key={place} className={`todo todo-${status}`}>
          {status === "completed" && <Check aria-hidden />}
          {status === "in_progress" && <CircleDot aria-hidden />}
          {status === "pending" && <Circle aria-hidden />}
          <span>
            <span className="visually-hidden">{ENTRY_WORDS[status]}: </span>
            {content}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The agent's own plan, as long as something of it is left to do: where it is, and opened, every entry. */
export const TodoList = memo(function TodoList({ todos }: { todos: Todo[] }) {
  const [chosen, choose] = useState<boolean>();
  const done = todos.filter((todo) => todo.status === "completed").length;
  const open = chosen ?? true;
  const current = todos.find((todo) => todo.status === "in_progress")?.content;
  if (done === todos.length) return null;
  return (
    <section className="todos" data-testid="todo-list" aria-label={WORDS.planLabel}>
      <button type="button" className="todos-head" aria-expanded={open} onClick={() => choose(!open)}>
        <progress value={done} max={todos.length} aria-label={WORDS.entriesDone} />
        <span className="todos-count">{WORDS.ofDone(done, todos.length)}</span>
        <span className="todos-current">{!open && current}</span>
        <ChevronDown aria-hidden className={open ? "todos-chevron todos-chevron-open" : "todos-chevron"} />
      </button>
      {open && <TodoItems todos={todos} />}
    </section>
  );
});
