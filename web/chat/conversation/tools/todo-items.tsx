import { Check, Circle, CircleDot } from "lucide-react";
import type { Todo } from "../timeline/timeline.ts";

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
