import type { ThreadState } from "@berth/server";
import { Activity, ExternalLink } from "lucide-react";
import { Link } from "wouter";
import { base as here } from "../../api/index.ts";
import { SpanValue } from "../runs/index.ts";
import { Problem, Section, ShowMore, StatusBadge } from "../ui/index.ts";
import type { SettingsDraft } from "./settings.tsx";
import { StepRow } from "./step-row.tsx";
import type { Beginning, Lane } from "./use-lane.ts";
import { Waiting } from "./waiting.tsx";
import { WORDS } from "./words.tsx";

type ThreadPanelProps = { lane: Lane; settings: SettingsDraft };

/** The thread of a lane: what it waits for, its state where one looks, and each step that led there. */
export function ThreadPanel({ lane, settings }: ThreadPanelProps) {
  const { history, threadId, live, isRunning, isAtRest } = lane;
  const { steps, pages, head } = history;
  const start = (beginning: Beginning) => {
    const read = settings.read();
    return read ? lane.start(beginning, read) : Promise.resolve(undefined);
  };
  if (threadId === undefined)
    return (
      <p className="studio-note" data-testid="no-thread">
        {WORDS.noStepsYet}
      </p>
    );
  return (
    <>
      {pages.error && <Problem error={pages.error} retry={pages.refresh} />}
      {head && isAtRest && (
        <Waiting key={head.checkpoint.checkpoint_id} lane={lane} head={head} start={start} />
      )}
      {isRunning && <Writing words={[...live.words.values()]} />}
      {head && <SpanValue title={titleOf(lane, head)} value={head.values} testId="studio-state" />}
      <Section title={WORDS.steps} note={<RunWords lane={lane} />} testId="steps">
        <ol className="steps">
          {steps.map((step) => (
            <StepRow key={step.state.checkpoint.checkpoint_id} step={step} lane={lane} start={start} />
          ))}
        </ol>
        <ShowMore pages={pages} />
      </Section>
    </>
  );
}

function titleOf({ history, isRunning }: Lane, { metadata }: ThreadState): string {
  if (isRunning) return WORDS.stateSoFar;
  return history.isNewest ? WORDS.state : WORDS.stateAtStep(metadata.step);
}

function RunWords({ lane: { run, base, threadId } }: { lane: Lane }) {
  if (!run) return null;
  return (
    <span className="studio-run">
      <StatusBadge status={run.status} />
      <Link href={`/traces/${run.run_id}`} data-testid="studio-trace">
        <Activity aria-hidden="true" />
        {WORDS.openTrace}
      </Link>
      <a href={`${here}${base}/chat/${threadId}`}>
        <ExternalLink aria-hidden="true" />
        {WORDS.openInTheChat}
      </a>
    </span>
  );
}

/** What models write while a run is under way. */
function Writing({ words }: { words: readonly { node: string; text: string }[] }) {
  if (words.length === 0) return null;
  return (
    <Section title={WORDS.writing}>
      {words.map(({ node, text }) => (
        <p key={node + text.slice(0, 24)} className="studio-writing">
          <strong>{node}</strong> {text}
        </p>
      ))}
    </Section>
  );
}
