import { useState } from "react";
import { Button } from "../../../ui/index.ts";
import { InterruptForm } from "./interrupt-form.tsx";
import "./interrupts.css";

export type Pending = { id?: string; value?: unknown };

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
  return (
    <div className="asks">
      {asked.map(({ id, value }) =>
        answers.has(id) && asked.length > 1 && !wrong ? (
          <p key={id} className="ask ask-answered">
            Answered.
            <Button size="small" look="quiet" disabled={sending} onClick={() => takeBack(id)}>
              Change
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
          The answer could not be sent: {wrong} Try again.
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
      setWrong(error instanceof Error ? error.message : String(error));
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
