/** Tokens of one call of a model; null for what nobody said. */
type TokenCounts = { input: number | null; output: number | null; total: number | null };

type Fields = Record<string, unknown>;

/** Looks where the clients and the wrappers of model libraries put what a call used, the plainest place first. */
export function usageIn(run: Fields, outputs: unknown, metadata: Fields): TokenCounts | undefined {
  const out = fieldsOf(outputs);
  const modelOutput = fieldsOf(out?.llm_output) ?? fieldsOf(out?.llmOutput);
  const places = [
    out?.usage_metadata,
    metadata.usage_metadata,
    messageOf(out)?.usage_metadata,
    modelOutput?.token_usage,
    modelOutput?.tokenUsage,
    modelOutput?.usage,
    out?.usage,
    run,
  ];
  for (const place of places) {
    const usage = usageOf(fieldsOf(place));
    if (usage) return usage;
  }
  return undefined;
}

/** How many of the input tokens a cache of the provider held or took, as LangChain writes it. */
export function inputDetailsIn(outputs: unknown): Fields | undefined {
  const out = fieldsOf(outputs);
  const usage = fieldsOf(out?.usage_metadata) ?? fieldsOf(messageOf(out)?.usage_metadata);
  const { cache_read, cache_creation } = fieldsOf(usage?.input_token_details) ?? {};
  return cache_read || cache_creation ? { cache_read, cache_creation } : undefined;
}

function usageOf(said: Fields | undefined): TokenCounts | undefined {
  if (!said) return undefined;
  const usage = {
    input: count(said.input_tokens ?? said.prompt_tokens ?? said.promptTokens),
    output: count(said.output_tokens ?? said.completion_tokens ?? said.completionTokens),
    total: count(said.total_tokens ?? said.totalTokens),
  };
  return usage.input === null && usage.output === null && usage.total === null ? undefined : usage;
}

/** The message that a LangChain model answered with. */
function messageOf(out: Fields | undefined): Fields | undefined {
  const first = firstOf(firstOf(out?.generations));
  const message = fieldsOf(fieldsOf(first)?.message);
  return fieldsOf(message?.kwargs) ?? message;
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : null;

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
