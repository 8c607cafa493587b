import { record, type WireEvent } from "./protocol.ts";
import type { LastRun } from "./run-log.ts";
import { SpokenMessages } from "./spoken-messages.ts";
import { WORDS } from "./words.ts";

type Data = Readonly<Record<string, unknown>>;

/** One part of the answer of `runs/stream`. */
export type StreamPart = { event: string; data: unknown };

/** An interrupt of a state. */
type Asked = { id: string; value: unknown };

const INTERRUPTS = "__interrupt__";

/** Numbers and publishes what happened, in the order in which it is said. */
export type Publish = (said: {
  method: string;
  namespace?: readonly string[];
  data: Data;
  id?: string;
}) => void;

/** Gives events their numbers; one for all runs of a thread. */
export function numbered(publish: (event: WireEvent) => void): Publish {
  let seq = 0;
  return ({ method, namespace = [], data, id }) => {
    seq += 1;
    const eventId = `${id ?? method}:${seq}`;
    const params = { namespace, data };
    const json = JSON.stringify({ type: "event", event_id: eventId, seq, method, params });
    publish({ seq, eventId, method, namespace, data, json });
  };
}

/** What the stream of one run tells, as events of the thread protocol. */
export class RunEvents {
  readonly #messages: SpokenMessages;
  /** What the run failed of, as its stream said. */
  error: string | undefined;

  constructor(
    private readonly runId: string,
    private readonly publish: Publish,
  ) {
    this.#messages = new SpokenMessages((namespace, data) =>
      publish({ method: "messages", namespace, data }),
    );
  }

  begin(): void {
    this.#lifecycle("running", { run_id: this.runId });
  }

  take({ event, data }: StreamPart): void {
    const [mode, ...namespace] = event.split("|");
    if (mode === "values") this.values(data, namespace);
    else if (mode === "messages") this.#messages.take(data);
    else if (mode === "checkpoints") this.#checkpoint(record(data), namespace);
    else if (mode === "custom") this.publish({ method: "custom", namespace, data: customData(data) });
    else if (mode === "error") this.error = wordsOf(data);
  }

  /** What the thread's state is by now. */
  values(values: unknown, namespace: readonly string[] = []): void {
    if (namespace.length === 0) this.#messages.finish();
    const { [INTERRUPTS]: asked, ...data } = record(values);
    // Some servers tell a question as values of its own.
    if (asked === undefined || Object.keys(data).length > 0)
      this.publish({ method: "values", namespace, data });
  }

  /** The end, with what the run asks. */
  end(status: Exclude<LastRun["status"], "running">, asked: readonly Asked[] = []): void {
    this.#messages.finish();
    for (const { id, value } of asked)
      this.publish({ method: "input.requested", data: { interrupt_id: id, payload: value ?? null } });
    this.#lifecycle(status, status === "failed" ? { error: this.error ?? WORDS.runFailed } : {});
  }

  /** Readers want a checkpoint before its values; the stream has it behind them. */
  #checkpoint({ config, parent_config, metadata, values }: Data, namespace: readonly string[]): void {
    const id = checkpointOf(config);
    if (id === undefined) return;
    const parent_id = checkpointOf(parent_config);
    const { step, source } = record(metadata);
    this.publish({
      method: "checkpoints",
      namespace,
      data: { id, ...(parent_id !== undefined && { parent_id }), step, source },
    });
    if (values !== undefined) this.values(values, namespace);
  }

  #lifecycle(event: string, more: Data): void {
    this.publish({ method: "lifecycle", id: `synth:${this.runId}:${event}`, data: { event, ...more } });
  }
}

function checkpointOf(config: unknown): string | undefined {
  const { checkpoint_id } = record(record(config).configurable);
  return typeof checkpoint_id === "string" ? checkpoint_id : undefined;
}

function customData(payload: unknown): Data {
  const { name } = record(payload);
  return typeof name === "string" ? { name, payload } : { payload };
}

/** What an `error` event says, whatever its server writes. */
const wordsOf = (data: unknown): string => wordsIn(data) ?? WORDS.noReasonGiven;

/** The words of a failure, as servers write them: a text, or an object that has one. */
export function wordsIn(data: unknown): string | undefined {
  const { message, error, detail } = record(data);
  return [data, message, detail, error].find((words) => typeof words === "string" && words !== "") as
    | string
    | undefined;
}

/** What a state's tasks failed of. */
export function failureIn(tasks: unknown): string | undefined {
  const errors = (Array.isArray(tasks) ? tasks : []).map((task) => wordsIn(record(task).error));
  return errors.find((words) => words !== undefined);
}

/** The questions of a state's tasks. */
export function askedIn(tasks: unknown): Asked[] {
  const interrupts = (Array.isArray(tasks) ? tasks : []).flatMap((task) => record(task).interrupts ?? []);
  return interrupts.map(record).flatMap(({ id, interrupt_id = id, value }) => {
    return typeof interrupt_id === "string" ? [{ id: interrupt_id, value }] : [];
  });
}
