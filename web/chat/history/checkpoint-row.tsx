import { Ago, classes } from "../../ui/index.ts";
import type { HistoryStep } from "./history-rows.ts";

type CheckpointRowProps = { step: HistoryStep; isOpen: boolean; onToggle: () => void };

/** One checkpoint in the list: which step, what ran, what it changed, when. */
export function CheckpointRow({ step, isOpen, onToggle }: CheckpointRowProps) {
  const { metadata, created_at } = step.state;
  const isSame = step.changed.length === 0 && !step.isWaiting;
  return (
    <button
      type="button"
      className={classes("history-row", isSame && "history-row-same")}
      aria-expanded={isOpen}
      onClick={onToggle}
      data-testid="history-item"
    >
      <span className="history-step">{typeof metadata.step === "number" && metadata.step}</span>
      <span className="history-what">
        {whatRan(step)}
        <small>{whatItDid(step)}</small>
      </span>
      {created_at && <Ago at={created_at} short />}
    </button>
  );
}

/** The nodes that the checkpoint before announced; or what else made a checkpoint. */
function whatRan({ state, before }: HistoryStep): string {
  const { source } = state.metadata;
  if (source === "input") return "Input";
  if (source === "update") return "Edited";
  if (source === "fork") return "Forked";
  const nodes = [...new Set(before?.next)].map((node) => (node === "__start__" ? "Start" : node));
  return nodes.join(", ") || "Step";
}

function whatItDid({ changed, isWaiting, isEnd, state }: HistoryStep): string {
  if (isWaiting) return "waits for an answer";
  if (changed.length > 0) return changed.join(", ");
  return isEnd && state.next.length === 0 ? "end of the run" : "no change";
}
