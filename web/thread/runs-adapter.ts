import {
  FeedAdapter,
  type FeedAdapterOptions,
  isLostConnection,
  PATIENCE_MS,
  type RunSettings,
  type ThreadCommand,
} from "./feed-adapter.ts";
import { record } from "./protocol.ts";
import type { RunPayload, RunsThread } from "./runs-thread.ts";
import { WORDS } from "./words.ts";

type RunsAdapterOptions = Omit<FeedAdapterOptions, "feed"> & {
  feed: RunsThread;
  /** Read when a run starts, so that a change needs no new stream. */
  settings: () => RunSettings;
};

type Params = Readonly<Record<string, unknown>>;

/** Talks with the routes that every Agent Server has: what would be a command of the thread protocol is a run. */
export class RunsAdapter extends FeedAdapter {
  #options: RunsAdapterOptions;

  constructor(options: RunsAdapterOptions) {
    super(options);
    this.#options = options;
  }

  override async send({ id, method, params }: ThreadCommand): ReturnType<FeedAdapter["send"]> {
    const given = record(params);
    if (method === "run.start") {
      const input = { input: (given.input ?? null) as RunPayload["input"] };
      return success(id, { run_id: await this.#run(given, input) });
    }
    if (method === "input.respond") {
      await this.#run(given, { command: commandOf(given, this.#options.feed.asked) });
      return success(id, {});
    }
    throw new Error(WORDS.unknownMethod(method));
  }

  async #run(params: Params, what: Pick<RunPayload, "input" | "command">): Promise<string> {
    const { feed, settings } = this.#options;
    await feed.connected(PATIENCE_MS);
    const { context } = settings();
    // Nothing is sent yet: what fails here has not arrived.
    const assistantId = settings().assistantId ?? (await feed.firstAssistant());
    if (assistantId === undefined) throw new Error(WORDS.noAssistant);
    try {
      return await feed.run(assistantId, {
        ...what,
        ...placeOf(params, settings()),
        ...(Object.keys(context).length > 0 && { context }),
        ...(params.metadata ? { metadata: record(params.metadata) } : {}),
        multitaskStrategy: "interrupt",
      });
    } catch (error) {
      throw isLostConnection(error) ? new Error(WORDS.mayHaveArrived) : wordsOf(error);
    }
  }
}

/** Where a run goes on from, and with which settings. The protocol has the checkpoint among them. */
function placeOf(params: Params, settings: RunSettings): Pick<RunPayload, "config" | "checkpointId"> {
  const config = record(params.config);
  const { checkpoint_id, thread_id: _, ...own } = record(config.configurable);
  const configurable = { ...settings.configurable, ...own };
  const { configurable: __, ...others } = config;
  const hasOwn = Object.keys(configurable).length > 0;
  const whole = { ...others, ...(hasOwn && { configurable }) };
  return {
    ...(Object.keys(whole).length > 0 && { config: whole }),
    ...(typeof checkpoint_id === "string" && { checkpointId: checkpoint_id }),
  };
}

/**
 * The answers of a person. A server that is told an interrupt's id has to know such ids, so one that is alone is
 * answered without.
 */
export function commandOf(
  { responses, interrupt_id, response, update, goto }: Params,
  asked: readonly string[],
): NonNullable<RunPayload["command"]> {
  const several = Array.isArray(responses) ? responses.map(record) : [{ interrupt_id, response }];
  const [only] = several;
  const isAlone = several.length === 1 && asked.length < 2;
  const resume = isAlone
    ? only?.response
    : Object.fromEntries(several.map((one) => [String(one.interrupt_id), one.response]));
  return {
    resume,
    ...(update !== undefined && { update: update as Record<string, unknown> }),
    ...(goto !== undefined && { goto: goto as string }),
  };
}

type Answer = Awaited<ReturnType<FeedAdapter["send"]>>;
const success = (id: number, result: Params) => ({ type: "success", id, result }) as Answer;

/** A refusal in the server's words, without the JSON around them. */
function wordsOf(error: unknown): unknown {
  const { text } = (error ?? {}) as { text?: unknown };
  if (typeof text !== "string") return error;
  try {
    const { detail, message } = JSON.parse(text);
    for (const words of [message, detail]) if (typeof words === "string") return new Error(words);
  } catch {
    // Not JSON: as it is.
  }
  return error;
}
