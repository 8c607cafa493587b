import { CloudSun, Mail, Telescope } from "lucide-react";
import type { ReactNode } from "react";

type Example = { icon: ReactNode; title: string; text: string };

const EXAMPLES: Example[] = [
  { icon: <CloudSun aria-hidden />, title: "Use a tool", text: "What is the weather in Lisbon?" },
  {
    icon: <Telescope aria-hidden />,
    title: "Plan and delegate",
    text: "Research how a deep agent works and summarise it",
  },
  {
    icon: <Mail aria-hidden />,
    title: "Ask before it acts",
    text: "Send an email to ada@example.com about the launch",
  },
];

/** What an empty conversation offers to begin with. */
export function EmptyState({ onPick }: { onPick: (text: string) => void }) {
  return (
    <section className="empty">
      <h2>What shall the agent do?</h2>
      <ul>
        {EXAMPLES.map(({ icon, title, text }) => (
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
