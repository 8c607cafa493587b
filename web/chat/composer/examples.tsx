import type { Assistant } from "@berth/server";
import { CloudSun, Mail, Telescope } from "lucide-react";
import type { ReactNode } from "react";
import { WORDS } from "../words.tsx";
import { useDraft } from "./draft.tsx";
import "./examples.css";

type Example = { icon: ReactNode; title: string; text: string };

const TOOL: Example = {
  icon: <CloudSun aria-hidden />,
  title: WORDS.toolExample,
  text: WORDS.toolExampleMessage,
};
const PLAN: Example = {
  icon: <Telescope aria-hidden />,
  title: WORDS.planExample,
  text: WORDS.planExampleMessage,
};
const ASK: Example = {
  icon: <Mail aria-hidden />,
  title: WORDS.approvalExample,
  text: WORDS.approvalExampleMessage,
};

/** What Berth's own templates can do; what others can do is for them to say. */
const EXAMPLES = new Map([
  ["deep-agent", [TOOL, PLAN, ASK]],
  ["chat", [TOOL]],
  ["approval", [TOOL, ASK]],
]);

/** What an empty conversation offers to begin with. */
export function EmptyState({ assistant }: { assistant: Assistant | undefined }) {
  const { pick } = useDraft();
  const examples = EXAMPLES.get(assistant?.graph_id ?? "") ?? [];
  return (
    <section className="empty">
      <div className="empty-head">
        <h2>{WORDS.greeting}</h2>
        {assistant?.description && <p>{assistant.description}</p>}
      </div>
      <ul>
        {examples.map(({ icon, title, text }) => (
          <li key={title}>
            <button type="button" className="example" data-testid="example" onClick={() => pick(text)}>
              {icon}
              <span className="example-title">{title}</span>
              <span className="example-text">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
