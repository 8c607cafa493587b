import type { ThreadState } from "@berth/server";
import { Play, RotateCcw, Send } from "lucide-react";
import { useState } from "react";
import { Button, TextArea } from "../../ui/index.ts";
import { JsonView, Section } from "../ui/index.ts";
import { tasksOf } from "./live/index.ts";
import type { Beginning, Lane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

type Start = (beginning: Beginning) => Promise<unknown>;

type WaitingProps = { lane: Lane; head: ThreadState; start: Start };

/** Where a branch ends with something left to do: why it stands there, and how it goes on. */
export function Waiting({ lane, head, start }: WaitingProps) {
  const questions = head.tasks.flatMap(({ interrupts }) => interrupts);
  const failed = tasksOf([head], undefined).filter(({ state }) => state === "failed");
  const checkpointId = lane.history.isNewest ? undefined : head.checkpoint.checkpoint_id;
  if (head.next.length === 0) return null;
  const busy = lane.action.busy;
  if (questions.length > 0) return <Questions questions={questions} {...{ busy, checkpointId, start }} />;
  const next = head.next.join(", ");
  const goOn = () => start({ checkpointId });
  if (failed.length === 0)
    return (
      <Section title={WORDS.pausedBefore(next)} testId="stands">
        <Button look="primary" icon={<Play />} disabled={busy} onClick={goOn} data-testid="continue">
          {WORDS.continue}
        </Button>
      </Section>
    );
  return (
    <Section title={WORDS.failed(failed.map(({ node }) => node).join(", "))} testId="failed">
      {failed.map(({ id, error }) => (
        <p key={id} className="studio-error">
          {error}
        </p>
      ))}
      <div className="studio-buttons">
        <Button icon={<RotateCcw />} disabled={busy} onClick={goOn} data-testid="try-again">
          {WORDS.tryAgainFromHere}
        </Button>
        <span className="studio-note">{WORDS.editHint}</span>
      </div>
    </Section>
  );
}

type Question = ThreadState["interrupts"][number];

type QuestionsProps = {
  questions: readonly Question[];
  busy: boolean;
  checkpointId: string | undefined;
  start: Start;
};

/** Questions that the graph asks a person, and the answers to them. */
function Questions({ questions, busy, checkpointId, start }: QuestionsProps) {
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const isOne = questions.length === 1;
  const given = questions.map(({ id }, at) => [id ?? String(at), answerOf(answers[id ?? at] ?? "")] as const);
  const isReady = given.every(([, value]) => value !== undefined);
  const answer = () => {
    const resume = isOne ? given[0]?.[1] : Object.fromEntries(given);
    return start({ command: { resume }, checkpointId });
  };
  return (
    <Section title={isOne ? WORDS.itAsks : WORDS.itAsksQuestions(questions.length)} testId="asks">
      {questions.map(({ id, value }, at) => (
        <div key={id ?? at} className="studio-question">
          <JsonView value={value} label={WORDS.question} />
          <TextArea
            label={WORDS.answer}
            hint={WORDS.textOrJson}
            rows={2}
            value={answers[id ?? at] ?? ""}
            onChange={(event) => setAnswers({ ...answers, [id ?? at]: event.target.value })}
            data-testid="answer"
          />
          <Suggestions value={value} onPick={(text) => setAnswers({ ...answers, [id ?? at]: text })} />
        </div>
      ))}
      <Button
        look="primary"
        icon={<Send />}
        disabled={busy || !isReady}
        onClick={answer}
        data-testid="send-answer"
      >
        {WORDS.answerAndContinue}
      </Button>
    </Section>
  );
}

/** JSON where it is some, else the words; nothing where there are none. */
export function answerOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Answers in the form that LangChain's approvals ask for. */
function Suggestions({ value, onPick }: { value: unknown; onPick: (answer: string) => void }) {
  const requests = actionRequests(value);
  if (requests === 0) return null;
  const all = (decision: object) =>
    JSON.stringify({ decisions: Array.from({ length: requests }, () => decision) });
  return (
    <div className="studio-buttons">
      <Button size="small" onClick={() => onPick(all({ type: "approve" }))}>
        {WORDS.approve}
      </Button>
      <Button size="small" onClick={() => onPick(all({ type: "reject", message: WORDS.no }))}>
        {WORDS.reject}
      </Button>
    </div>
  );
}

function actionRequests(value: unknown): number {
  if (typeof value !== "object" || value === null || !("action_requests" in value)) return 0;
  return Array.isArray(value.action_requests) ? value.action_requests.length : 0;
}
