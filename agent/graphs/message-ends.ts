/** Where a message that a model streams is over: what it came to beside its text. */
export type StreamedMessageEnd = { id: string; usage?: unknown; reason?: string };

type Tokens = { id?: string; response_metadata?: Record<string, unknown>; usage_metadata?: unknown };
type Chunk = { message?: Tokens };
type Output = { generations?: { message?: Tokens }[][] };

/** A provider may name a message in its first chunk only; LangGraph keeps to the first name too. */
export function messageIdOf(own: string | undefined, call: string, first: string | undefined): string {
  const anonymous = own === undefined || own === `run-${call}`;
  return anonymous ? (first ?? `run-${call}`) : own;
}

/**
 * Tells when the last token of a message has gone through the graph's stream. The graph does not say it, and
 * the model says it before its tokens have arrived; so both are counted.
 */
export class MessageEnds {
  /** Message ids by model call, and how many tokens each message was given. */
  readonly #ids = new Map<string, string>();
  readonly #given = new Map<string, number>();
  readonly #arrived = new Map<string, number>();
  readonly #over = new Map<string, StreamedMessageEnd>();

  constructor(private readonly emit: (end: StreamedMessageEnd) => void) {}

  /** To be called for each token that comes out of the graph, once it is in the log. */
  arrived(id: string): void {
    this.#arrived.set(id, (this.#arrived.get(id) ?? 0) + 1);
    this.#settle(id);
  }

  given(call: string, fields: unknown): void {
    const own = (fields as { chunk?: Chunk } | undefined)?.chunk?.message?.id;
    const id = messageIdOf(own, call, this.#ids.get(call));
    if (!this.#ids.has(call)) this.#ids.set(call, id);
    this.#given.set(id, (this.#given.get(id) ?? 0) + 1);
  }

  ended(call: string, output: unknown): void {
    const id = this.#ids.get(call);
    this.#ids.delete(call);
    if (id === undefined) return;
    const message = (output as Output).generations?.[0]?.[0]?.message;
    const { finish_reason, stop_reason } = message?.response_metadata ?? {};
    const reason = finish_reason ?? stop_reason;
    this.#over.set(id, {
      id,
      ...(message?.usage_metadata !== undefined && { usage: message.usage_metadata }),
      ...(typeof reason === "string" && { reason }),
    });
    this.#settle(id);
  }

  /** A callback handler for the models of a run. */
  handler() {
    return {
      name: "message-ends",
      awaitHandlers: true,
      ignoreLLM: false,
      ignoreChain: true,
      ignoreAgent: true,
      ignoreRetriever: true,
      ignoreCustomEvent: true,
      raiseError: false,
      handleLLMNewToken: (
        _token: string,
        _index: unknown,
        call: string,
        _parent: unknown,
        _tags: unknown,
        fields: unknown,
      ) => this.given(call, fields),
      handleLLMEnd: (output: unknown, call: string) => this.ended(call, output),
    };
  }

  #settle(id: string): void {
    const end = this.#over.get(id);
    if (!end || (this.#arrived.get(id) ?? 0) < (this.#given.get(id) ?? 0)) return;
    this.#over.delete(id);
    this.emit(end);
  }
}
