import { Brain, ChevronRight } from "lucide-react";
import { Fragment, memo, useState } from "react";
import { Markdown } from "../../../markdown/index.ts";
import { Components } from "../components/index.ts";
import { type Answer, type ChatMessage, sameAnswer } from "../content/index.ts";
import { PlanRow, SubagentCard, ToolCallRow } from "../tools/index.ts";
import { AnswerActions } from "./answer-actions.tsx";
import { AttachmentViews } from "./attachment-view.tsx";

/** How calls of the deep agent's own tools are drawn. */
const ROWS = new Map([
  ["task", SubagentCard],
  ["write_todos", PlanRow],
]);

type AnswerViewProps = { answer: Answer; streaming: boolean; plain: boolean };

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
        <h2 className="visually-hidden">Assistant</h2>
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
          </Fragment>
        );
      })}
      <Components of={message.id} />
    </div>
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
export function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? thinking;
  return (
    <section className="reasoning">
      <button type="button" className="reasoning-head" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Brain aria-hidden />
        {thinking ? "Thinking…" : "Thought about it"}
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
