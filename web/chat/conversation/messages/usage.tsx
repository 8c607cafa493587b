import type { ChatMessage, Usage } from "../content/index.ts";

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
  const whole = `${label}: ${count.format(usage.input)} tokens in, ${count.format(usage.output)} out`;
  return (
    <span className="usage" data-testid="usage" title={whole}>
      <span aria-hidden>{short.format(usage.total)} tokens</span>
      <span className="visually-hidden">{whole}</span>
    </span>
  );
}
