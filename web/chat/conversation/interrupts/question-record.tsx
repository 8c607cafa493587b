import { Check, Hand, X } from "lucide-react";
import type { ReactNode } from "react";
import { useConversation } from "../conversation-context.ts";
import type { AskedQuestion } from "../timeline/index.ts";
import { WORDS } from "../words.tsx";
import { ArgsTable, VERDICT_WORDS } from "./action-review.tsx";
import { type GivenVerdict, recordOf } from "./verdicts.ts";
import "./interrupts.css";

/** What the agent asked behind a message, and what it was answered. What is open is asked at the end instead. */
export function Questions({ of }: { of: string }) {
  const { questions, waiting } = useConversation();
  return questions
    .get(of)
    ?.filter(({ answer }) => answer !== undefined || !waiting)
    .map((question) => <RecordView key={question.id} question={question} />);
}

function RecordView({ question }: { question: AskedQuestion }) {
  const { title, isAnswered, verdicts, said } = recordOf(question);
  return (
    <section className="asked" data-testid="question-record" aria-label={WORDS.questionOfAgent}>
      <p className="asked-title">
        <Hand aria-hidden />
        {title ?? (verdicts.length > 0 ? WORDS.theAgentAsked : WORDS.theAgentAskedYou)}
      </p>
      {verdicts.map((verdict, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was asked does not change
        <VerdictView key={place} verdict={verdict} />
      ))}
      {said !== undefined && <p className="asked-words">{said}</p>}
      {!isAnswered && <p className="asked-none">{WORDS.nobodyAnswered}</p>}
    </section>
  );
}

function VerdictView({ verdict: { action, decision, args, words } }: { verdict: GivenVerdict }) {
  return (
    <div className="asked-action">
      <details>
        <summary>
          <code>{action.name}</code>
          {decision && (
            <span className={`asked-verdict asked-verdict-${decision}`}>
              {ICONS[decision] ?? <Check aria-hidden />}
              {VERDICT_WORDS[decision]}
            </span>
          )}
        </summary>
        <ArgsTable args={action.args} />
      </details>
      {args && (
        <div>
          <p className="asked-none">{WORDS.withOtherArguments}</p>
          <ArgsTable args={args} />
        </div>
      )}
      {words && <p className="asked-words">{words}</p>}
    </div>
  );
}

const ICONS: Partial<Record<string, ReactNode>> = { reject: <X aria-hidden />, ignore: <X aria-hidden /> };
