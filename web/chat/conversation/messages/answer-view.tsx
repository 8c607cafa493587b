import { Fragment, memo } from "react";
import { Markdown } from "../../../markdown/markdown.tsx";
import { Components } from "../components/component-view.tsx";
import { PlanRow } from "../tools/plan-row.tsx";
import { SubagentCard } from "../tools/subagent-card.tsx";
import { ToolCallRow } from "../tools/tool-call.tsx";
import { AnswerActions } from "./answer-actions.tsx";
import { AttachmentViews } from "./attachment-view.tsx";
import { type Answer, sameAnswer } from "./entries.ts";
import type { ChatMessage } from "./message.ts";
import { Reasoning } from "./reasoning.tsx";

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
