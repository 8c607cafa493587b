import { CloudSun, Mail, Telescope } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../session-context.ts";

type Example = { icon: ReactNode; title: string; text: string };

const TOOL: Example = {
  icon: <CloudSun aria-hidden />,
  title: "Use a tool",
  text: "What is the weather in Lisbon?",
};
const PLAN: Example = {
  icon: <Telescope aria-hidden />,
  title: "Plan and delegate",
  text: "Research how a deep agent works and summarise it",
};
const ASK: Example = {
  icon: <Mail aria-hidden />,
  title: "Ask before it acts",
  text: "Send an email to ada@example.com about the launch",
};

/** What Berth's own templates can do; what others can do is for them to say. */
const EXAMPLES = new Map([
  ["deep-agent", [TOOL, PLAN, ASK]],
  ["chat", [TOOL]],
  ["approval", [TOOL, ASK]],
]);

/** What an empty conversation offers to begin with. */
export function EmptyState({ onPick }: { onPick: (text: string) => void }) {
  const { assistant } = useSession();
  const examples = EXAMPLES.get(assistant?.graph_id ?? "") ?? [];
  return (
    <section className="empty">
      <div className="empty-head">
        <h2>What shall the agent do?</h2>
        {assistant?.description && <p>{assistant.description}</p>}
      </div>
      <ul>
        {examples.map(({ icon, title, text }) => (
          <li key={title}>
            <button type="button" className="example" data-testid="example" onClick={() => onPick(text)}>
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

/** Says that no real model is talking, and how to get one. */
export function OfflineNote() {
  return (
    <p className="note" data-testid="offline-note">
      This is the <strong>offline model</strong>, a script. For a real one set <code>OPENAI_API_KEY</code> or{" "}
      <code>ANTHROPIC_API_KEY</code> and restart the server.
    </p>
  );
}
