import {
  Brain,
  Check,
  ChevronRight,
  CircleStop,
  Copy,
  Play,
  RefreshCw,
  ThumbsDown,
  ThumbsUp,
  Workflow,
} from "lucide-react";
import { Fragment, memo, useState } from "react";
import { Markdown } from "../../../markdown/index.ts";
import { useSource } from "../../../source/index.ts";
import { Button, IconButton, useCopy } from "../../../ui/index.ts";
import { useSession } from "../../session-context.ts";
import { Components } from "../component-view.tsx";
import { type ChatAnswer, type ChatMessage, sameAnswer, type Usage } from "../content.ts";
import { useConversation } from "../conversation-context.ts";
import { Questions } from "../interrupts/index.ts";
import { PlanRow, SubagentCard, ToolCallRow } from "../tools/index.ts";
import { WORDS } from "../words.tsx";
import { AttachmentViews, BranchSwitch } from "./message-parts.tsx";

/** How calls of the deep agent's own tools are drawn. */
const ROWS = new Map([
  ["task", SubagentCard],
  ["write_todos", PlanRow],
]);

type AnswerViewProps = { answer: ChatAnswer; streaming: boolean; plain: boolean };

/** An answer: what the model thought, said and did, in the order in which it happened. */
export const AnswerView = memo(
  function AnswerView({ answer, streaming, plain }: AnswerViewProps) {
    const results = new Map(answer.results.map((result) => [result.answers, result]));
    const last = answer.messages.at(-1);
    return (
      <article
        className="answer"
        data-testid="message-assistant"
        data-entry={answer.id}
        data-message-id={last?.id}
        aria-busy={streaming}
      >
        <h2 className="visually-hidden">{WORDS.assistant}</h2>
        {answer.messages.map((message) => (
          <Step
            key={message.id}
            message={message}
            results={results}
            writing={streaming && message === last && isWriting(message, results)}
          />
        ))}
        {streaming && last && !isWriting(last, results) && allAnswered(last, results) && <Dots />}
        {!streaming && !plain && <AnswerActions answer={answer} />}
      </article>
    );
  },
  (a, b) => a.streaming === b.streaming && a.plain === b.plain && sameAnswer(a.answer, b.answer),
);

type Results = ReadonlyMap<string | undefined, ChatMessage>;
type StepProps = { message: ChatMessage; results: Results; writing: boolean };

function Step({ message, results, writing }: StepProps) {
  const { text, reasoning, toolCalls, attachments } = message;
  return (
    <div className="step">
      {reasoning && <Reasoning text={reasoning} thinking={writing && !text && toolCalls.length === 0} />}
      {text.trim() !== "" && <Markdown text={text} streaming={writing && toolCalls.length === 0} />}
      <AttachmentViews attachments={attachments} />
      {toolCalls.map((call) => {
        const Row = ROWS.get(call.name) ?? ToolCallRow;
        const result = results.get(call.id);
        return (
          <Fragment key={call.id}>
            <Row call={call} result={result} />
            {result && <Components of={result.id} />}
            {result && <Questions of={result.id} />}
          </Fragment>
        );
      })}
      <Components of={message.id} />
      <Questions of={message.id} />
      {message.stopped && <StoppedMark messageId={message.id} />}
    </div>
  );
}

/** Says that a message ends where somebody stopped its run, and offers to run that step again. */
function StoppedMark({ messageId }: { messageId: string }) {
  const { busy, runAgain } = useConversation();
  return (
    <p className="stopped" data-testid="stopped">
      <CircleStop aria-hidden />
      {WORDS.stopped}
      <Button
        size="small"
        look="quiet"
        icon={<Play />}
        disabled={busy}
        data-testid="run-again"
        onClick={() => runAgain(messageId)}
      >
        {WORDS.runAgain}
      </Button>
    </p>
  );
}

/** Until its first call is made, a message is still being written. */
function isWriting(message: ChatMessage, results: Results): boolean {
  return !message.toolCalls.some((call) => call.partial === undefined || results.has(call.id));
}

function allAnswered(message: ChatMessage, results: Results): boolean {
  return message.toolCalls.every((call) => results.has(call.id));
}

/** Something is coming, and nothing of it is here yet. */
export function Dots() {
  return (
    <p className="dots" aria-hidden>
      <span />
      <span />
      <span />
    </p>
  );
}

/** What the model thought: open while it thinks, folded afterwards, unless the reader decides otherwise. */
function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? thinking;
  return (
    <section className="reasoning">
      <button type="button" className="reasoning-head" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Brain aria-hidden />
        {thinking ? WORDS.thinking : WORDS.thoughts}
        <ChevronRight aria-hidden className={open ? "reasoning-open" : ""} />
      </button>
      {open && (
        <div className="reasoning-text">
          <Markdown text={text} streaming={thinking} />
        </div>
      )}
    </section>
  );
}

/** What can be done with an answer that is finished. */
function AnswerActions({ answer }: { answer: ChatAnswer }) {
  const { busy, waiting, forks, regenerate } = useConversation();
  const { copied, copy } = useCopy();
  const text = answer.messages
    .map((message) => message.text.trim())
    .filter(Boolean)
    .join("\n\n");
  const here = [...answer.messages, ...answer.results].flatMap(({ id }) => forks.get(id) ?? []);
  if (waiting && here.length === 0) return null;
  return (
    <div className="actions">
      {here.map((fork) => (
        <BranchSwitch key={fork.leaves.join()} fork={fork} />
      ))}
      {text && (
        <IconButton label={copied ? WORDS.copied : WORDS.copy} size="small" onClick={() => copy(text)}>
          {copied ? <Check /> : <Copy />}
        </IconButton>
      )}
      <IconButton
        label={WORDS.answerAgain}
        size="small"
        data-testid="regenerate"
        disabled={busy}
        onClick={() => regenerate(answer)}
      >
        <RefreshCw />
      </IconButton>
      <Thumbs messageId={answer.messages.at(-1)?.id ?? answer.id} />
      <TraceLink messageId={answer.messages.at(-1)?.id ?? answer.id} />
      <UsageText usage={sumUsage(answer.messages)} label={WORDS.thisAnswer} />
    </div>
  );
}

/** Leads to what the run of an answer did, where there is a console that has it. */
function TraceLink({ messageId }: { messageId: string }) {
  const { runOf } = useConversation();
  const { tracesAt } = useSession();
  const runId = runOf(messageId);
  if (!tracesAt || !runId) return null;
  return (
    <a
      className="icon-button icon-button-small"
      href={`${tracesAt}/${runId}`}
      target="_blank"
      rel="noopener"
      aria-label={WORDS.openTrace}
      title={WORDS.openTrace}
      data-testid="open-trace"
    >
      <Workflow aria-hidden />
    </a>
  );
}

function Thumbs({ messageId }: { messageId: string }) {
  const { scores, runOf, rate } = useConversation();
  const { hasRatings } = useSource();
  if (!hasRatings) return null;
  const score = scores.get(messageId);
  const possible = runOf(messageId) !== undefined;
  return (
    <>
      <IconButton
        label={WORDS.goodAnswer}
        size="small"
        data-testid="thumbs-up"
        aria-pressed={score === 1}
        disabled={!possible}
        onClick={() => rate(messageId, score === 1 ? null : 1)}
      >
        <ThumbsUp />
      </IconButton>
      <IconButton
        label={WORDS.badAnswer}
        size="small"
        data-testid="thumbs-down"
        aria-pressed={score === 0}
        disabled={!possible}
        onClick={() => rate(messageId, score === 0 ? null : 0)}
      >
        <ThumbsDown />
      </IconButton>
    </>
  );
}

const count = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** The tokens of all these messages together; undefined where no model has said any. */
export function sumUsage(messages: ChatMessage[]): Usage | undefined {
  const told = messages.flatMap(({ usage }) => usage ?? []);
  if (told.length === 0) return undefined;
  return told.reduce((sum, { input, output, total }) => ({
    input: sum.input + input,
    output: sum.output + output,
    total: sum.total + total,
  }));
}

/** Tokens in few characters, with the whole numbers on hover. */
export function UsageText({ usage, label }: { usage: Usage | undefined; label: string }) {
  if (!usage || usage.total === 0) return null;
  const whole = WORDS.tokensInOut(label, count.format(usage.input), count.format(usage.output));
  return (
    <span className="usage" data-testid="usage" title={whole}>
      <span aria-hidden>{WORDS.tokens(short.format(usage.total))}</span>
      <span className="visually-hidden">{whole}</span>
    </span>
  );
}
