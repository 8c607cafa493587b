import { Check, ChevronDown, Circle, CircleDot } from "lucide-react";
import { memo, useState } from "react";
import type { Todo } from "../timeline/index.ts";

const WORDS = { pending: "To do", in_progress: "In progress", completed: "Done" };

/** Every entry of a plan, and how it is doing. */
export function TodoItems({ todos }: { todos: Todo[] }) {
  return (
    <ol className="todos-items">
      {todos.map(({ content, status }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the plan
        <li key={place} className={`todo todo-${status}`}>
          {status === "completed" && <Check aria-hidden />}
          {status === "in_progress" && <CircleDot aria-hidden />}
          {status === "pending" && <Circle aria-hidden />}
          <span>
            <span className="visually-hidden">{WORDS[status]}: </span>
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
    <section className="todos" data-testid="todo-list" aria-label="The agent's plan">
      <button type="button" className="todos-head" aria-expanded={open} onClick={() => choose(!open)}>
        <progress value={done} max={todos.length} aria-label="Entries done" />
        <span className="todos-count">
          {done} of {todos.length} done
        </span>
        <span className="todos-current">{!open && current}</span>
        <ChevronDown aria-hidden className={open ? "todos-chevron todos-chevron-open" : "todos-chevron"} />
      </button>
      {open && <TodoItems todos={todos} />}
    </section>
  );
});
