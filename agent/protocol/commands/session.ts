import { encode } from "../../wire.ts";
import type { EventFilter } from "../event.ts";
import type { CommandContext, CommandDeps } from "./deps.ts";
import { requireThread } from "./deps.ts";
import type { Envelope } from "./envelope.ts";
import type { Params } from "./params.ts";
import type { Receiver } from "./replay.ts";
import { type CommandReply, errorReply, type Outcome, ProtocolError } from "./reply.ts";
import { replyTo } from "./reply-to.ts";
import {
  filterOfSubscription,
  isSubscribe,
  isWatch,
  noSuchSubscription,
  readSubscription,
  seqOfEventId,
  subscriptionId,
} from "./subscription.ts";
import { type Opening, Subscriptions } from "./subscriptions.ts";
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
/** A subscription to what happens to runs waits so long for one to what they say. */
const COMPANY_MS = 50;

type Waiting = { frame: unknown; isTooMuch: boolean };

/** What one command takes up until it is answered. */
type Turn = { opening?: Opening };

/** Commands in, replies and events out: one client on one thread, until the connection ends. */
export class Session {
  readonly #subscriptions: Subscriptions;
  readonly #waiting: Waiting[] = [];
  #working = false;
  /** Somebody waits for the next frame. */
  #arrival: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(
    private readonly deps: CommandDeps,
    private readonly place: SessionPlace,
  ) {
    this.#subscriptions = new Subscriptions(deps.events, place.threadId, place.wire);
  }

  /**
   * Takes one frame, whatever JSON it held. One after the other, each with its reply and its replay: a client that
   * is told of a new run and then of an older one's end takes that for the end of the new.
   */
  receive(frame: unknown): void {
    this.#waiting.push({ frame, isTooMuch: this.#waiting.length + Number(this.#working) >= MOST_WAITING });
    this.#arrival?.resolve();
    if (!this.#working) void this.#work();
  }

  /** Answers a frame that held no JSON. */
  refuse(message: string): void {
    void this.place.wire.send(encode(errorReply(null, new ProtocolError("invalid_argument", message))));
  }

  /** The connection is gone. */
  close(): void {
    this.#closed = true;
    this.#arrival?.resolve();
    this.#subscriptions.close();
  }

  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      const { frame, isTooMuch } = await this.#next();
      await this.#take(frame, isTooMuch).catch((error) => this.place.wire.failed(error));
    }
    this.#working = false;
  }

  /**
   * The frame whose turn it is: the oldest, but a subscription that only follows how runs begin and end lets one
   * behind it go first. Clients open both at once, the former first, and stop to read the latter for good when they
   * hear of a run's end before anything else of it (SDK 1.11 to 1.15, `ThreadStream.#scheduleTerminalPause`).
   */
  async #next(): Promise<Waiting> {
    const [oldest] = this.#waiting;
    if (oldest && isWatch(oldest.frame)) {
      if (this.#waiting.length === 1 && this.#subscriptions.ids.length === 0) await this.#company();
      const others = this.#waiting.findIndex(({ frame }) => !isWatch(frame));
      const [first] = isSubscribe(this.#waiting[others]?.frame) ? this.#waiting.splice(others, 1) : [];
      if (first) return first;
    }
    return this.#waiting.shift() as Waiting;
  }

  /** Resolves when another frame is there, or none comes soon. */
  async #company(): Promise<void> {
    this.#arrival = Promise.withResolvers();
    const timer = setTimeout(this.#arrival.resolve, COMPANY_MS);
    await this.#arrival.promise;
    clearTimeout(timer);
    this.#arrival = undefined;
  }

  async #take(frame: unknown, isTooMuch: boolean): Promise<void> {
    const { wire } = this.place;
    if (this.#closed || !(await wire.mayStay())) return;
    const turn: Turn = {};
    try {
      const reply = await replyTo(frame, async (envelope) => {
        if (isTooMuch) {
          const message = `More than ${MOST_WAITING} commands wait already: send more when they are answered`;
          throw new ProtocolError("unknown_error", message);
        }
        return (await this.#own(envelope, turn)) ?? this.#passOn(frame);
      });
      if (this.#closed) return;
      void wire.send(encode(reply));
      if (reply.type === "success") await turn.opening?.replay();
    } finally {
      turn.opening?.leave();
    }
  }

  /** The commands that are about this connection; undefined for all others. */
  async #own({ method, params }: Envelope, turn: Turn): Promise<Outcome | undefined> {
    if (method === "subscription.subscribe") return this.#subscribe(params, turn);
    if (method === "subscription.unsubscribe") return this.#unsubscribe(params);
    if (method === "subscription.reconnect") return this.#reconnect(params, turn);
    return undefined;
  }

  async #passOn(frame: unknown): Promise<Outcome> {
    const { threadId, context, commands } = this.place;
    const reply = await commands.handle(threadId, frame, context);
    if (reply.type === "error") throw new ProtocolError(reply.error, reply.message, reply.meta);
    return { result: reply.result, ...(reply.meta && { meta: reply.meta }) };
  }

  async #subscribe(params: Params, turn: Turn): Promise<Outcome> {
    const wanted = readSubscription(params);
    const id = subscriptionId("socket", wanted.filter);
    turn.opening = await this.#subscriptions.opening();
    const stored = await turn.opening.open(id, wanted);
    return { result: { subscription_id: id, ...(stored !== undefined && { replayed_events: stored }) } };
  }

  #unsubscribe(params: Params): Outcome {
    const id = params.requiredText("subscription_id");
    if (!this.#subscriptions.remove(id)) throw noSuchSubscription(id);
    return { result: {} };
  }

  /** Opens subscriptions of a lost connection again, or those of this one, behind the event that was seen last. */
  async #reconnect(params: Params, turn: Turn): Promise<Outcome> {
    const { threadId } = this.place;
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
