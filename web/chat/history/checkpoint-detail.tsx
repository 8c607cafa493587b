import type { ThreadState } from "@berth/server";
import { GitBranch } from "lucide-react";
import { useState } from "react";
import { ChangeList, stateDiff } from "../../changes/index.ts";
import { useResource } from "../../data/index.ts";
import { historyPath, useSource } from "../../source/index.ts";
import { Button, Spinner } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { WORDS } from "../words.tsx";

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
        <Spinner label={WORDS.loading} />
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
          {WORDS.forkFromHere}
        </Button>
        <Button
          size="small"
          look="quiet"
          aria-expanded={isRaw}
          onClick={() => setRaw(!isRaw)}
          data-testid="view-raw"
        >
          {isRaw ? WORDS.hideRaw : WORDS.showRaw}
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
      <dt>{WORDS.checkpoint}</dt>
      <dd>{checkpoint.checkpoint_id}</dd>
      {typeof run_id === "string" && (
        <>
          <dt>{WORDS.run}</dt>
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
  const source = useSource();
  const { threadId } = useSession();
  const parentId = parent_checkpoint?.checkpoint_id;
  const near = known.find((state) => state.checkpoint.checkpoint_id === parentId);
  const isMissing = parentId !== undefined && !near;
  const { data, loading } = useResource<ThreadState[]>(isMissing ? historyPath(source, threadId) : null, {
    body: { limit: 1, checkpoint: { checkpoint_id: parentId } },
    exact: true,
  });
  if (loading) return "loading";
  return near ?? data?.[0];
}
