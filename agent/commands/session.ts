import { Signal, Unavailable } from "@berth/store";
import { type EventFilter, PermittedEvents } from "../protocol/index.ts";
import { encode } from "../wire.ts";
import {
  type CommandContext,
  type CommandDeps,
  type CommandReply,
  type CommandResult,
  type Envelope,
  errorReply,
  type Params,
  ProtocolError,
  replyTo,
  requireThread,
} from "./command-call.ts";
import {
  EventSubscriptions,
  filterOfSubscription,
  isSubscribe,
  isWatch,
  noSuchSubscription,
  type Opening,
  type Receiver,
  readSubscription,
  seqOfEventId,
  subscriptionId,
} from "./subscriptions.ts";
import { agentNodes, runOf } from "./tree.ts";

/** The connection of a session. */
export type Wire = Receiver & {
  /** Whether the client may still be here; if not, the connection is about to end. */
  mayStay(): Promise<boolean>;
  /** The thread is gone, and this session with it. */
  threadDeleted(): void;
  /** A fault of ours. */
  failed(error: unknown): void;
};

type SessionPlace = {
  threadId: string;
  context: CommandContext;
  wire: Wire;
  commands: { handle(threadId: string, envelope: unknown, context: CommandContext): Promise<CommandReply> };
};

const MOST_WAITING = 64;
/** A subscription waits so long for others that were asked for together with it. */
const TOGETHER_MS = 2;
/** The first of a connection waits longer: on a busy machine a client may be stopped between two that it sends. */
const FIRST_TOGETHER_MS = 25;
/** A first one to what happens to runs waits so long for one to what they say. */
const COMPANY_MS = 50;

type Waiting = { frame: unknown; isTooMuch: boolean };

/** What is taken up until the commands of one turn are answered. */
type Turn = { opening?: Opening };

/** Commands in, replies and events out: one client on one thread, until the connection ends. */
export class ProtocolSession {
  readonly #subscriptions: EventSubscriptions;
  readonly #waiting: Waiting[] = [];
  #working = false;
  /** Given with the next frame, and at the end. */
  readonly #arrival = new Signal();
  #closed = false;

  constructor(
    private readonly deps: CommandDeps,
    private readonly place: SessionPlace,
  ) {
    const { threadId, context, wire } = place;
    const { mayRead, view } = context;
    const events = mayRead ? new PermittedEvents(deps.events, mayRead) : deps.events;
    this.#subscriptions = new EventSubscriptions(events, threadId, wire, view);
  }

  /**
   * Takes one frame, whatever JSON it held. One after the other, each with its reply and its replay: a client that
   * is told of a new run and then of an older one's end takes that for the end of the new.
   */
  receive(frame: unknown): void {
    this.#waiting.push({ frame, isTooMuch: this.#waiting.length + Number(this.#working) >= MOST_WAITING });
    this.#arrival.give();
    if (!this.#working) void this.#work();
  }

  /** Answers a frame that held no JSON. */
  refuse(message: string): void {
    void this.place.wire.send(encode(errorReply(null, new ProtocolError("invalid_argument", message))));
  }

  /** The connection is gone. */
  close(): void {
    this.#closed = true;
    this.#arrival.give();
    this.#subscriptions.close();
  }

  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      await this.#take(await this.#next()).catch((error) => this.place.wire.failed(error));
    }
    this.#working = false;
  }

  /**
   * What is taken up next: the oldest frame; of subscriptions, all that were asked for together, so that what is
   * stored for them comes in one order. Clients open one for messages, one for values and one that only follows how
   * runs begin and end, and stop to read all of them for good when any of them has told of a run's end (SDK 1.11 to
   * 1.15, `ThreadStream.#scheduleTerminalPause`).
   */
  async #next(): Promise<Waiting[]> {
    if (isSubscribe(this.#waiting[0]?.frame)) await this.#others();
    const others = this.#waiting.findIndex(({ frame }) => !isSubscribe(frame));
    return this.#waiting.splice(0, Math.max(1, others === -1 ? this.#waiting.length : others));
  }

  /** Resolves when other frames that were sent together with the oldest are there. */
  async #others(): Promise<void> {
    const isFirst = this.#subscriptions.ids.length === 0;
    await Bun.sleep(isFirst ? FIRST_TOGETHER_MS : TOGETHER_MS);
    if (!isFirst || !this.#waiting.every(({ frame }) => isWatch(frame))) return;
    await this.#arrival.wait({ limitMs: COMPANY_MS });
    await Bun.sleep(TOGETHER_MS);
  }

  async #take(frames: readonly Waiting[]): Promise<void> {
    const { wire } = this.place;
    const turn: Turn = {};
    let isAnswered = false;
    try {
      for (const waiting of frames) {
        if (this.#closed || !(await wire.mayStay())) return;
        const reply = await this.#replyTo(waiting, turn);
        if (this.#closed) return;
        void wire.send(encode(reply));
        isAnswered ||= reply.type === "success";
      }
      if (isAnswered) await turn.opening?.replay();
    } finally {
      turn.opening?.leave();
    }
  }

  #replyTo({ frame, isTooMuch }: Waiting, turn: Turn): Promise<CommandReply> {
    return replyTo(frame, async (envelope) => {
      if (isTooMuch) {
        const message = `More than ${MOST_WAITING} commands wait already: send more when they are answered`;
        throw new ProtocolError("unknown_error", message);
      }
      return this.#carryOut(envelope, frame, turn).catch(inWords);
    });
  }

  async #carryOut(envelope: Envelope, frame: unknown, turn: Turn): Promise<CommandResult> {
    return (await this.#own(envelope, turn)) ?? this.#passOn(frame);
  }

  /** The commands that are about this connection; undefined for all others. */
  async #own({ method, params }: Envelope, turn: Turn): Promise<CommandResult | undefined> {
    if (method === "subscription.subscribe") return this.#subscribe(params, turn);
    if (method === "subscription.unsubscribe") return this.#unsubscribe(params);
    if (method === "subscription.reconnect") return this.#reconnect(params, turn);
    return undefined;
  }

  async #passOn(frame: unknown): Promise<CommandResult> {
    const { threadId, context, commands } = this.place;
    const reply = await commands.handle(threadId, frame, context);
    if (reply.type === "error") throw new ProtocolError(reply.error, reply.message, reply.meta);
    return { result: reply.result, ...(reply.meta && { meta: reply.meta }) };
  }

  async #subscribe(params: Params, turn: Turn): Promise<CommandResult> {
    const wanted = readSubscription(params);
    const id = subscriptionId("socket", wanted.filter);
    turn.opening ??= await this.#subscriptions.opening();
    const stored = await turn.opening.open(id, wanted);
    return { result: { subscription_id: id, ...(stored !== undefined && { replayed_events: stored }) } };
  }

  #unsubscribe(params: Params): CommandResult {
    const id = params.requiredText("subscription_id");
    if (!this.#subscriptions.remove(id)) throw noSuchSubscription(id);
    return { result: {} };
  }

  /** Opens subscriptions of a lost connection again, or those of this one, behind the event that was seen last. */
  async #reconnect(params: Params, turn: Turn): Promise<CommandResult> {
    const { threadId, context } = this.place;
    await context.permit?.(threadId, "subscription.reconnect", params.all);
    const last = params.text("last_event_id");
    const since = last === undefined ? undefined : seqOfEventId(last);
    if (last !== undefined && since === undefined) throw params.wrong("last_event_id", "the id of an event");
    const ids = params.texts("subscriptions") ?? this.#subscriptions.ids;
    await requireThread(this.deps, threadId);
    const run = await runOf(this.deps, threadId, params.requiredText("run_id"));
    const current_namespaces = (await agentNodes(this.deps, run)).map(({ namespace, status }) => ({
      namespace,
      status,
    }));
    const wanted = ids.map((id) => ({ id, filter: this.#filterOf(id) }));
    if (wanted.length === 0 || wanted.some(({ filter }) => !filter)) {
      return { result: { restored: false, current_namespaces } };
    }
    turn.opening = await this.#subscriptions.opening();
    let missed: number | undefined = 0;
    for (const { id, filter } of wanted) {
      const stored = filter && (await turn.opening.open(id, { filter, since }));
      missed = missed === undefined || stored === undefined ? undefined : missed + stored;
    }
    const counted = missed === undefined ? {} : { missed_events: missed };
    return { result: { restored: true, ...counted, current_namespaces } };
  }

  #filterOf(id: string): EventFilter | undefined {
    try {
      return this.#subscriptions.filterOf(id) ?? filterOfSubscription("socket", id);
    } catch {
      return undefined;
    }
  }
}

/** A socket has no status that would say that something does not answer. */
function inWords(error: unknown): never {
  throw error instanceof Unavailable ? new ProtocolError("unknown_error", error.message) : error;
}
