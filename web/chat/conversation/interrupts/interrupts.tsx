import { useRef, useState } from "react";
import { Button, Field } from "../../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { ActionReview } from "./action-review.tsx";
import {
  type AskedAction,
  type Request,
  type ReviewVerdict,
  readAnswer,
  readRequest,
  reviewAnswer,
} from "./payload.ts";
import { useQuestionFocus } from "./use-question-focus.ts";
import "./interrupts.css";
import { reasonOf } from "../../../api/index.ts";

type Pending = { id?: string; value?: unknown };

type InterruptsProps = {
  pending: readonly Pending[];
  /** Sends the answers, by the id of what they answer. */
  onAnswer: (answers: Record<string, unknown>) => Promise<void>;
};

/** Everything that the run waits for. Several questions are answered together: the run goes on only once. */
export function Interrupts({ pending, onAnswer }: InterruptsProps) {
  const asked = pending.flatMap(({ id, value }) => (id ? [{ id, value }] : []));
  const { answers, sending, wrong, answer, takeBack } = useAnswers(
    asked.map(({ id }) => id),
    onAnswer,
  );
  const place = useRef<HTMLDivElement>(null);
  useQuestionFocus(place);
  return (
    <div ref={place} className="asks">
      {asked.map(({ id, value }) =>
        answers.has(id) && asked.length > 1 && !wrong ? (
          <p key={id} className="ask ask-answered">
            {WORDS.answeredOnce}
            <Button size="small" look="quiet" disabled={sending} onClick={() => takeBack(id)}>
              {WORDS.change}
            </Button>
          </p>
        ) : (
          <InterruptForm
            key={id}
            payload={value}
            disabled={sending}
            onAnswer={(given) => answer(id, given)}
          />
        ),
      )}
      {wrong && (
        <p className="ask-wrong" role="alert">
          {WORDS.answerRefused(wrong)}
        </p>
      )}
    </div>
  );
}

/** Collects answers, and sends them as soon as there is one to each question. */
function useAnswers(ids: string[], onAnswer: InterruptsProps["onAnswer"]) {
  const [answers, setAnswers] = useState<ReadonlyMap<string, unknown>>(new Map());
  const [wrong, setWrong] = useState<string>();
  const [sending, setSending] = useState(false);
  const send = async (all: ReadonlyMap<string, unknown>) => {
    setSending(true);
    setWrong(undefined);
    try {
      await onAnswer(Object.fromEntries(all));
    } catch (error) {
      setWrong(reasonOf(error));
    }
    setSending(false);
  };
  const answer = (id: string, value: unknown) => {
    const next = new Map(answers).set(id, value);
    setAnswers(next);
    if (!sending && ids.every((one) => next.has(one))) send(next);
  };
  const takeBack = (id: string) => setAnswers(without(answers, id));
  return { answers, sending, wrong, answer, takeBack };
}

function without(answers: ReadonlyMap<string, unknown>, id: string): ReadonlyMap<string, unknown> {
  return new Map([...answers].filter(([key]) => key !== id));
}

type FormProps = { disabled: boolean; onAnswer: (answer: unknown) => void };

/** What an agent asks a person, as a form that fits the question. */
function InterruptForm({ payload, ...form }: FormProps & { payload: unknown }) {
  const request = readRequest(payload);
  return (
    <section className="ask" data-testid="interrupt-form" aria-label={WORDS.theAgentAsksYou} tabIndex={-1}>
      {request.kind === "review" && <ReviewForm request={request} {...form} />}
      {request.kind === "approval" && <ApprovalForm {...request} {...form} />}
      {request.kind === "question" && <QuestionForm {...request} {...form} />}
    </section>
  );
}

type ReviewFormProps = FormProps & { request: Extract<Request, { kind: "review" }> };

/** Several calls are decided one by one and sent together, as whoever asked wants them. */
function ReviewForm({ request, disabled, onAnswer }: ReviewFormProps) {
  const { actions } = request;
  const [verdicts, setVerdicts] = useState<ReadonlyMap<number, ReviewVerdict>>(new Map());
  const one = actions.length === 1;
  const decide = (place: number, verdict: ReviewVerdict) => {
    const next = new Map(verdicts).set(place, verdict);
    setVerdicts(next);
    if (one) send(next);
  };
  const send = (all: ReadonlyMap<number, ReviewVerdict>) =>
    onAnswer(
      reviewAnswer(
        request,
        actions.flatMap((_, place) => all.get(place) ?? []),
      ),
    );
  return (
    <>
      <h3 className="ask-title">{titleOf(actions)}</h3>
      {actions.map((action, place) => (
        <ActionReview
          // biome-ignore lint/suspicious/noArrayIndexKey: the answer goes by the place too
          key={place}
          action={action}
          verdict={one ? undefined : verdicts.get(place)}
          disabled={disabled}
          onDecide={(verdict) => decide(place, verdict)}
        />
      ))}
      {!one && (
        <div className="ask-buttons">
          <Button
            look="primary"
            data-testid="send-decisions"
            disabled={disabled || verdicts.size < actions.length}
            onClick={() => send(verdicts)}
          >
            {WORDS.sendDecisions(verdicts.size, actions.length)}
          </Button>
        </div>
      )}
    </>
  );
}

/** What only informs, and wants nothing done, is no request for leave. */
function titleOf(actions: AskedAction[]): string {
  const mayBeDone = ({ allowed }: AskedAction) => allowed.includes("approve") || allowed.includes("accept");
  if (!actions.some(mayBeDone)) return WORDS.theAgentAsksYou;
  return actions.length === 1 ? WORDS.mayTheAgentDo : WORDS.mayTheAgentDoThese(actions.length);
}

function ApprovalForm({
  question,
  action,
  disabled,
  onAnswer,
}: FormProps & { question: string; action: AskedAction }) {
  return (
    <>
      <h3 className="ask-title">{question}</h3>
      <ActionReview action={action} verdict={undefined} disabled={disabled} onDecide={onAnswer} />
    </>
  );
}

type QuestionFormProps = FormProps & { question?: string; details?: unknown };

function QuestionForm({ question, details, disabled, onAnswer }: QuestionFormProps) {
  const [written, setWritten] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(readAnswer(written.trim()));
      }}
    >
      <h3 className="ask-title">{question ?? WORDS.waitsForAnswer}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {details !== undefined && <pre tabIndex={0}>{JSON.stringify(details, null, 2)}</pre>}
      <Field label={WORDS.yourAnswerShort} hint={WORDS.textOrJsonHint}>
        {(ids) => (
          <textarea
            {...ids}
            className="text-area ask-words"
            data-testid="answer-text"
            rows={2}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        )}
      </Field>
      <div className="ask-buttons">
        <Button
          look="primary"
          type="submit"
          data-testid="answer-send"
          disabled={disabled || written.trim() === ""}
        >
          {WORDS.answer}
        </Button>
      </div>
    </form>
  );
}
