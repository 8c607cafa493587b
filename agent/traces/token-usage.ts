import type { TokenUsage } from "./live-span.ts";

type Fields = Record<string, unknown>;

/** The message that a model's answer is, or what stands for it. */
export function answerOf(output: unknown): unknown {
  const generation = firstGeneration(output);
  return fields(generation)?.message ?? fields(generation)?.text;
}

/** What a model used for an answer, as its message says or else as its provider did. */
export function usageOf(output: unknown): TokenUsage | undefined {
  const message = fields(fields(firstGeneration(output))?.message);
  const stated = fields(message?.usage_metadata);
  if (stated) return usage(stated.input_tokens, stated.output_tokens, stated.total_tokens);
  const provider = fields(fields(output)?.llmOutput);
  const counted = fields(provider?.tokenUsage) ?? fields(provider?.usage);
  return (
    counted &&
    usage(
      counted.promptTokens ?? counted.prompt_tokens ?? counted.input_tokens,
      counted.completionTokens ?? counted.completion_tokens ?? counted.output_tokens,
      counted.totalTokens ?? counted.total_tokens,
    )
  );
}

/** Why a model stopped, in its provider's word. */
export function finishReason(output: unknown): string | undefined {
  const generation = fields(firstGeneration(output));
  const about = {
    ...fields(generation?.generationInfo),
    ...fields(fields(generation?.message)?.response_metadata),
  };
  const reason = about.finish_reason ?? about.stop_reason ?? about.done_reason;
  return typeof reason === "string" ? reason : undefined;
}

function usage(input: unknown, output: unknown, total: unknown): TokenUsage | undefined {
  const count = (value: unknown) => (typeof value === "number" && value >= 0 ? Math.round(value) : null);
  const counts = { input: count(input), output: count(output), total: count(total) };
  if (counts.input === null && counts.output === null && counts.total === null) return undefined;
  return counts;
}

function firstGeneration(output: unknown): unknown {
  const generations = fields(output)?.generations;
  const [first]: unknown[] = Array.isArray(generations) ? generations : [];
  return Array.isArray(first) ? first[0] : first;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
