import { Check, ChevronDown, Circle, CircleDot } from "lucide-react";
import { memo, useState } from "react";
import type { Todo } from "../timeline/timeline.ts";

const WORDS = { pending: "To do", in_progress: "In progress", completed: "Done" };

/** The agent's own plan: where it is, and opened, every entry. */
export const TodoList = memo(function TodoList({ todos }: { todos: Todo[] }) {
  const [chosen, choose] = useState<boolean>();
  const done = todos.filter((todo) => todo.status === "completed").length;
  // A plan that is done says so in one line.
  const open = chosen ?? done < todos.length;
  const current = todos.find((todo) => todo.status === "in_progress")?.content;
  if (todos.length === 0) return null;
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
      {open && (
        <ol className="todos-items">
          {todos.map(({ content, status }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the plan
            <li key={place} className={`todo todo-${status}`}>
              {status === "completed" ? <Check aria-hidden /> : null}
              {status === "in_progress" ? <CircleDot aria-hidden /> : null}
              {status === "pending" ? <Circle aria-hidden /> : null}
              <span>
                <span className="visually-hidden">{WORDS[status]}: </span>
                {content}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
});
