import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { changedKeys } from "../../changes/index.ts";
import { Badge, classes, IconButton } from "../../ui/index.ts";
import { Ago } from "../ui/index.ts";
import { type BranchStep, idOf, wordsOf } from "./branch.ts";
import { StepDetail } from "./step-detail.tsx";
import type { Beginning, Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

type StepRowProps = { step: BranchStep; lane: Lane; start: (beginning: Beginning) => Promise<unknown> };

/** One step of a thread: what made it, what it changed, and the other ways that led on from the one before. */
export function StepRow({ step, lane, start }: StepRowProps) {
  const { state, before } = step;
  const [isOpen, setOpen] = useState(() => isInAddress(idOf(state)));
  const changed = changedKeys(before?.values ?? {}, state.values);
  const isWaiting = state.tasks.some(({ interrupts }) => interrupts.length > 0);
  const hasFailed = state.tasks.some(({ error }) => error !== null);
  const number = typeof state.metadata.step === "number" ? state.metadata.step : "";
  return (
    <li className={classes("step", isOpen && "step-open")} data-testid="step" data-step={number}>
      <div className="step-head">
        <button
          type="button"
          className="step-opener"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          data-testid="step-open"
        >
          <span className="step-number">{number}</span>
          <span className="step-words">
            {wordsOf(step)}
            <small>{changed.join(", ") || WORDS.noChange}</small>
          </span>
          {isWaiting && <Badge look="caution">{WORDS.asks}</Badge>}
          {hasFailed && <Badge look="negative">{WORDS.failed(state.next.join(", "))}</Badge>}
          {state.created_at && <Ago at={state.created_at} />}
        </button>
        <Branches step={step} onGo={lane.history.goTo} />
      </div>
      {isOpen && <StepDetail step={step} lane={lane} start={start} />}
    </li>
  );
}

const isInAddress = (checkpointId: string): boolean =>
  new URLSearchParams(window.location.search).get("checkpoint") === checkpointId;

/** Where a thread went several ways from one checkpoint: which of them this is, and the way to the others. */
function Branches({ step: { state, siblings }, onGo }: { step: BranchStep; onGo: (id: string) => void }) {
  if (siblings.length < 2) return null;
  const at = siblings.findIndex((sibling) => idOf(sibling) === idOf(state));
  const go = (to: number) => {
    const sibling = siblings[to];
    if (sibling) onGo(idOf(sibling));
  };
  return (
    <span className="step-branches" data-testid="branches">
      <IconButton label={WORDS.theBranchBefore} size="small" disabled={at === 0} onClick={() => go(at - 1)}>
        <ChevronLeft />
      </IconButton>
      {WORDS.placeOf(at + 1, siblings.length)}
      <IconButton
        label={WORDS.theNextBranch}
        size="small"
        align="end"
        disabled={at === siblings.length - 1}
        onClick={() => go(at + 1)}
      >
        <ChevronRight />
      </IconButton>
    </span>
  );
}
