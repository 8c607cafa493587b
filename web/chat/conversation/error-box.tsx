import { RotateCcw, TriangleAlert } from "lucide-react";
import { Button } from "../../ui/index.ts";

/** What is known to help, by what the error says. */
const ADVICE: [RegExp, string][] = [
  [
    /api.?key|unauthori[sz]ed|authentication|\b401\b|\b403\b/i,
    "Check the model provider's key in the server's environment, then retry.",
  ],
  [
    /rate.?limit|quota|\b429\b|overloaded/i,
    "The model provider is busy or its quota is used up. Wait a moment, then retry.",
  ],
  [/recursion limit/i, "The agent took more steps than it may. Retry lets it go on from here."],
  [
    /context.?(length|window)|too many tokens|maximum context/i,
    "The conversation is too long for this model. Start a new chat, or go on from an earlier message.",
  ],
  [
    /fetch failed|econn|enotfound|etimedout|network|timed? ?out/i,
    "The server could not reach the model provider, or it did not answer in time.",
  ],
];

type ErrorBoxProps = {
  /** What went wrong, in the words of whoever noticed. */
  text: string;
  /** The message did not reach the server. */
  unsent: boolean;
  onRetry: () => void;
};

/** Says that something went wrong, what, and what can be done. */
export function ErrorBox({ text, unsent, onRetry }: ErrorBoxProps) {
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1];
  return (
    <div className="error-box" role="alert" data-testid="error-box">
      <TriangleAlert aria-hidden />
      <div className="error-words">
        <p className="error-title">
          {unsent ? "Your message could not be sent" : "The agent stopped with an error"}
        </p>
        <p className="error-text">{text}</p>
        <p className="error-advice">
          {unsent
            ? "Try again when the server is back."
            : (advice ??
              "Retry goes on from the last step that worked; nothing that was done is done twice.")}
        </p>
      </div>
      <Button size="small" icon={<RotateCcw />} data-testid="retry" onClick={onRetry}>
        Retry
      </Button>
    </div>
  );
}
