import type { TraceFeedback } from "@berth/server";
import { Ago, Section } from "../../ui/index.ts";

/** What people and programs thought of it. */
export function FeedbackList({ feedback }: { feedback: readonly TraceFeedback[] }) {
  return (
    <Section title="Feedback" testId="feedback">
      <ul className="trace-feedback">
        {feedback.map(({ id, key, score, value, comment, created_at }) => (
          <li key={id}>
            <code>{key}</code>
            <strong>{scoreText(score, value)}</strong>
            <span className="trace-feedback-comment">{comment}</span>
            <Ago at={created_at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function scoreText(score: number | null, value: unknown): string {
  if (score !== null) return String(score);
  return value === null || value === undefined ? "–" : JSON.stringify(value);
}
