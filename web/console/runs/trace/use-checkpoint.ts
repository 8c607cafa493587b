import { useEffect, useState } from "react";
import { checkpointAt, stepOf } from "./checkpoints.ts";
import type { Span } from "./trace.ts";
import type { Place } from "./use-place.ts";

/** Who walks through the tree by the arrows does not mean every line on the way. */
const SETTLED_MS = 150;

/** The checkpoint that a span began from, or the one that its run ended with; undefined until it is known. */
export function useCheckpoint({ base, threadId, runId }: Place, spans: readonly Span[], span: Span) {
  const step = stepOf(spans, span);
  const key = `${runId} ${step ?? "end"} ${span.end_time === null}`;
  const [found, setFound] = useState<{ key: string; id: string | undefined }>();
  useEffect(() => {
    let isOver = false;
    const tell = (id: string | undefined) => !isOver && setFound({ key, id });
    const timer = setTimeout(() => {
      // Where it cannot be found there is nothing to offer.
      checkpointAt({ base, threadId, runId }, step).then(tell, () => tell(undefined));
    }, SETTLED_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [base, threadId, runId, step, key]);
  return found?.key === key ? found.id : undefined;
}
