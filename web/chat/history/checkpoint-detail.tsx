import type { ThreadState } from "@berth/server";
import { GitBranch } from "lucide-react";
import { useState } from "react";
import { historyPath } from "../../api/index.ts";
import { useResource } from "../../data/index.ts";
import { Badge, Button, Spinner } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { type StateChange, stateDiff } from "./history-rows.ts";

/** One checkpoint: what it changed, its whole state, and the way to go on from it. */
export function CheckpointDetail({ state, known }: { state: ThreadState; known: readonly ThreadState[] }) {
  const { setFork } = useSession();
  const [isRaw, setRaw] = useState(false);
  const parent = useParent(state, known);
  const { checkpoint_id } = state.checkpoint;
  return (
    <div className="checkpoint">
      <CheckpointFacts state={state} />
      {parent === "loading" ? (
        <Spinner label="Loading" />
      ) : (
        <div data-testid="state-diff">
          <ChangeList changes={stateDiff(parent?.values ?? {}, state.values)} />
        </div>
      )}
      <div className="checkpoint-actions">
        <Button
          size="small"
          icon={<GitBranch />}
          onClick={() => setFork(checkpoint_id)}
          data-testid="fork-here"
        >
          Fork from here
        </Button>
        <Button
          size="small"
          look="quiet"
          aria-expanded={isRaw}
          onClick={() => setRaw(!isRaw)}
          data-testid="view-raw"
        >
          {isRaw ? "Hide raw" : "View raw"}
        </Button>
      </div>
      {isRaw && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <pre className="checkpoint-raw" tabIndex={0}>
          {JSON.stringify(state, null, 2)}
        </pre>
      )}
    </div>
  );
}

function CheckpointFacts({ state: { checkpoint, metadata } }: { state: ThreadState }) {
  const { run_id } = metadata;
  return (
    <dl className="checkpoint-facts">
      <dt>Checkpoint</dt>
      <dd>{checkpoint.checkpoint_id}</dd>
      {typeof run_id === "string" && (
        <>
          <dt>Run</dt>
          <dd>{run_id}</dd>
        </>
      )}
    </dl>
  );
}

/** The state before: among those that are there already, or asked for. */
function useParent(
  { parent_checkpoint }: ThreadState,
  known: readonly ThreadState[],
): ThreadState | undefined | "loading" {
  const { threadId } = useSession();
  const parentId = parent_checkpoint?.checkpoint_id;
  const near = known.find((state) => state.checkpoint.checkpoint_id === parentId);
  const isMissing = parentId !== undefined && !near;
  const { data, loading } = useResource<ThreadState[]>(isMissing ? historyPath(threadId) : null, {
    body: { limit: 1, checkpoint: { checkpoint_id: parentId } },
    exact: true,
  });
  if (loading) return "loading";
  return near ?? data?.[0];
}

const LOOKS = { added: "positive", removed: "negative", changed: "caution" } as const;
const LONGEST = 600;

/** The differences between two states, messages in words and the rest as data. */
function ChangeList({ changes }: { changes: readonly StateChange[] }) {
  if (changes.length === 0) return <p className="history-empty">Nothing changed in the state.</p>;
  return (
    <ul className="changes">
      {changes.map(({ path, kind, before, after }) => (
        <li key={`${kind} ${path}`}>
          <span className="change-head">
            <Badge look={LOOKS[kind]}>{kind}</Badge>
            <code>{path || "state"}</code>
          </span>
          {before !== undefined && kind !== "added" && <Value look="before" value={before} />}
          {after !== undefined && <Value look="after" value={after} />}
        </li>
      ))}
    </ul>
  );
}

function Value({ value, look }: { value: unknown; look: "before" | "after" }) {
  const message = messageOf(value);
  const text = message?.text ?? (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return (
    <div className={`change-value change-${look}`}>
      {message && <strong>{message.who}</strong>}
      <span>{cut}</span>
    </div>
  );
}

/** A message's sender and words, if the value is one. */
function messageOf(value: unknown): { who: string; text: string } | undefined {
  if (typeof value !== "object" || value === null || !("type" in value) || !("content" in value)) return;
  const { type, content } = value;
  const name = "name" in value && typeof value.name === "string" ? ` ${value.name}` : "";
  const calls = "tool_calls" in value && Array.isArray(value.tool_calls) ? value.tool_calls : [];
  const called = calls.map((call) => `→ ${call.name}(${JSON.stringify(call.args)})`);
  return { who: `${type}${name}`, text: [textOf(content), ...called].filter(Boolean).join("\n") };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((block) => block?.text ?? `[${block?.type ?? "content"}]`).join("");
}
