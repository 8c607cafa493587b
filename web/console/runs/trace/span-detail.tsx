import type { Span, TraceFeedback, WholeTrace } from "@berth/server";
import { GitBranch, MessagesSquare, Workflow } from "lucide-react";
import { memo, useEffect, useRef } from "react";
import { Link } from "wouter";
import { base } from "../../../api/index.ts";
import { Button } from "../../../ui/index.ts";
import { useAction } from "../../data/index.ts";
import { studioHref } from "../../studio-link.ts";
import { Ago, durationText, type Fact, Facts, JsonView, Section, useNow } from "../../ui/index.ts";
import { RunStatus } from "../run-status.tsx";
import { WORDS } from "../words.tsx";
import { forkThread, type SpanPlace, useCheckpoint } from "./rerun.ts";
import { SpanErrorView } from "./span-error.tsx";
import { kindOf, SpanIcon } from "./span-line.tsx";
import { durationOf } from "./span-rows.ts";
import { SpanValue } from "./span-value.tsx";

type SpanDetailProps = { trace: WholeTrace; span: Span; place: SpanPlace | undefined };

/** Everything that is kept of one span. */
export const SpanDetail = memo(function SpanDetail({ trace, span, place }: SpanDetailProps) {
  const now = useNow();
  const section = useTopInView(span.id);
  const feedback = trace.feedback.filter(
    ({ span_id }) => span_id === span.id || (span_id === null && span.id === trace.id),
  );
  return (
    <section
      ref={section}
      className="span-detail"
      aria-label={WORDS.span(span.name)}
      data-testid="span-detail"
    >
      <header className="span-detail-head">
        <h2>
          <SpanIcon span={span} />
          {span.name || WORDS.unnamed}
        </h2>
        <RunStatus status={span.status} />
        {place && <ThreadHere trace={trace} span={span} place={place} />}
      </header>
      <Facts items={factsOf(span, now)} />
      <SpanErrorView span={span} />
      <SpanValue key={`in ${span.id}`} title={WORDS.inputs} value={span.inputs} testId="inputs" />
      <SpanValue key={`out ${span.id}`} title={WORDS.outputs} value={span.outputs} testId="outputs" />
      {feedback.length > 0 && <FeedbackList feedback={feedback} />}
      <details className="span-metadata" data-testid="span-metadata">
        <summary>{WORDS.metadata}</summary>
        <JsonView value={{ id: span.id, ...span.metadata }} label={WORDS.metadata} />
      </details>
    </section>
  );
});

/** Another span is read from its beginning, wherever one was in the one before. */
function useTopInView(spanId: string) {
  const section = useRef<HTMLElement>(null);
  const shown = useRef(spanId);
  useEffect(() => {
    if (shown.current === spanId) return;
    shown.current = spanId;
    const top = section.current?.getBoundingClientRect().top ?? 0;
    if (top < 0) section.current?.scrollIntoView({ block: "start" });
  }, [spanId]);
  return section;
}

const numbers = new Intl.NumberFormat();

function factsOf(span: Span, now: number): Fact[] {
  const { start_time, first_token_time, input_tokens, output_tokens, total_tokens, tags, metadata } = span;
  const items: (Fact | false)[] = [
    { label: WORDS.kind, value: kindOf(span) },
    { label: WORDS.started, value: new Date(start_time).toLocaleString() },
    { label: WORDS.duration, value: durationText(durationOf(span, now)) },
    first_token_time !== null && {
      label: WORDS.firstTokenAfter,
      value: durationText(Date.parse(first_token_time) - Date.parse(start_time)),
    },
    typeof metadata.ls_model_name === "string" && { label: WORDS.model, value: metadata.ls_model_name },
    span.node !== null && { label: WORDS.node, value: span.node },
    total_tokens !== null && {
      label: WORDS.tokens,
      value: WORDS.tokensInOut(numbers.format(input_tokens ?? 0), numbers.format(output_tokens ?? 0)),
    },
    tags.length > 0 && { label: WORDS.tags, value: tags.join(", ") },
  ];
  return items.filter((item) => item !== false);
}

/** The way to the thread as it was when the span began (for the run: when it ended), and a new one from there. */
function ThreadHere({ trace, span, place }: SpanDetailProps & { place: SpanPlace }) {
  const { run, busy } = useAction();
  const checkpointId = useCheckpoint(place, trace.spans, span);
  if (checkpointId === undefined) return null;
  const chatOf = (threadId: string) => `${base}${place.base}/chat/${threadId}`;
  const fork = async () => {
    const threadId = await run(() => forkThread(place, checkpointId));
    if (threadId !== undefined) window.location.assign(chatOf(threadId));
  };
  const isRun = span.id === trace.id;
  return (
    <span className="span-detail-actions">
      <a
        className="button button-plain button-small"
        href={`${chatOf(place.threadId)}?checkpoint=${checkpointId}`}
        title={isRun ? WORDS.threadAtEndHint : WORDS.threadBeforeHint}
        data-testid="open-checkpoint"
      >
        <MessagesSquare />
        {WORDS.openThreadHere}
      </a>
      <Link
        className="button button-plain button-small"
        href={studioHref({ ...place, checkpointId, assistantId: trace.metadata.assistant_id })}
        title={WORDS.studioHint}
        data-testid="open-in-studio"
      >
        <Workflow />
        {WORDS.openInTheStudio}
      </Link>
      <Button
        size="small"
        icon={<GitBranch />}
        disabled={busy}
        onClick={fork}
        title={WORDS.forkHint}
        data-testid="fork"
      >
        {WORDS.fork}
      </Button>
    </span>
  );
}

/** What people and programs thought of it. */
function FeedbackList({ feedback }: { feedback: readonly TraceFeedback[] }) {
  return (
    <Section title={WORDS.feedback} testId="feedback">
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
