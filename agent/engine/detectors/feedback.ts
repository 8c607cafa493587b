import type { TraceFeedback } from "@berth/store";
import type { Evidence, Observation } from "./evidence.ts";

const BAD_WORDS = /^(?:down|thumbs?[ _-]?down|bad|negative|dislike|no|incorrect|wrong|👎)$/i;

/** What people did not like; one observation for each key that they said it under. */
export function negativeFeedback(evidence: Evidence): Observation[] {
  const { feedback, spans, trace } = evidence.whole;
  const byKey = Map.groupBy(feedback.filter(isNegative), ({ key }) => key);
  return [...byKey].map(([key, entries]) => {
    const about = spans.find(({ id }) => id === entries[0]?.span_id);
    const comment = entries.find((entry) => entry.comment)?.comment;
    return {
      detector: "negative_feedback",
      error_type: "NegativeFeedback",
      node: about ? evidence.node(about) : null,
      tool: about ? evidence.tool(about) : null,
      message: `Negative feedback under ${key}`,
      reason: `Somebody gave negative feedback under the key ${key}${comment ? `: ${short(comment)}` : "."}`,
      run_id: about?.id ?? trace.id,
    };
  });
}

/** A score of zero or below; without one, a word or a "no". */
function isNegative({ score, value }: TraceFeedback): boolean {
  if (score !== null) return score <= 0;
  return value === false || (typeof value === "string" && BAD_WORDS.test(value.trim()));
}

const short = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text);
