import { Check, Copy, RefreshCw, ThumbsDown, ThumbsUp } from "lucide-react";
import { useCopy } from "../../../markdown/index.ts";
import { IconButton } from "../../../ui/index.ts";
import type { Answer } from "../content/index.ts";
import { useConversation } from "../conversation-context.ts";
import { BranchSwitch } from "./branch-switch.tsx";
import { sumUsage, UsageText } from "./usage.tsx";

/** What can be done with an answer that is finished. */
export function AnswerActions({ answer }: { answer: Answer }) {
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
        <IconButton label={copied ? "Copied" : "Copy"} size="small" onClick={() => copy(text)}>
          {copied ? <Check /> : <Copy />}
        </IconButton>
      )}
      <IconButton
        label="Answer again"
        size="small"
        data-testid="regenerate"
        disabled={busy}
        onClick={() => regenerate(answer)}
      >
        <RefreshCw />
      </IconButton>
      <Thumbs messageId={answer.messages.at(-1)?.id ?? answer.id} />
      <UsageText usage={sumUsage(answer.messages)} label="This answer" />
    </div>
  );
}

function Thumbs({ messageId }: { messageId: string }) {
  const { scores, canRate, rate } = useConversation();
  const score = scores.get(messageId);
  const possible = canRate(messageId);
  return (
    <>
      <IconButton
        label="Good answer"
        size="small"
        data-testid="thumbs-up"
        aria-pressed={score === 1}
        disabled={!possible}
        onClick={() => rate(messageId, score === 1 ? null : 1)}
      >
        <ThumbsUp />
      </IconButton>
      <IconButton
        label="Bad answer"
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
