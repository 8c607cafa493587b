import { encode } from "../../wire.ts";
import type { EventFilter } from "../event.ts";
import type { CommandContext, CommandDeps } from "./deps.ts";
import { requireThread } from "./deps.ts";
import type { Envelope } from "./envelope.ts";
import type { Params } from "./params.ts";
import { Reader } from "./reader.ts";
import { type CommandReply, errorReply, type Outcome, ProtocolError } from "./reply.ts";
import { replyTo } from "./reply-to.ts";
import {
  filterOfSubscription,
  noSuchSubscription,
  readSubscription,
  seqOfEventId,
  subscriptionId,
} from "./subscription.ts";
import { agentNodes, runOf } from "./tree.ts";

/** The connection of a session. */
export type Wire = {
  /** Sends one frame; a promise when so much waits to leave that nothing should follow before it resolves. */
  send(text: string): Promise<void> | undefined;
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

const MOST_SUBSCRIPTIONS = 100;
const MOST_WAITING = 64;

/** What is to be done when the reply has been sent. */
type Afterwards = (() => Promise<void>)[];

/** Commands in, replies and events out: one client on one thread, until the connection ends. */
export class Session {
  readonly #readers = new Map<string, { filter: EventFilter; reader: Reader }>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(
    private readonly deps: CommandDeps,
    private readonly place: SessionPlace,
  ) {}

  /**
   * Takes one frame, whatever JSON it held. One after the other, each with its reply and its replay: a client that
   * is told of a new run and then of an older one's end takes that for the end of the new.
   */
  receive(frame: unknown): void {
    const isTooMuch = this.#waiting >= MOST_WAITING;
    this.#waiting += 1;
    const take = () => this.#take(frame, isTooMuch).catch((error) => this.place.wire.failed(error));
    this.#turn = this.#turn.then(take).then(() => {
      this.#waiting -= 1;
    });
  }

  /** Answers a frame that held no JSON. */
  refuse(message: string): void {
    void this.place.wire.send(encode(errorReply(null, new ProtocolError("invalid_argument", message))));
  }

  /** The connection is gone. */
  close(): void {
    this.#closed = true;
    for (const { reader } of this.#readers.values()) reader.close();
    this.#readers.clear();
  }

  async #take(frame: unknown, isTooMuch: boolean): Promise<void> {
    const { wire } = this.place;
    if (this.#closed || !(await wire.mayStay())) return;
    const afterwards: Afterwards = [];
    const reply = await replyTo(frame, async (envelope) => {
      if (isTooMuch) {
        const message = `More than ${MOST_WAITING} commands wait already: send more when they are answered`;
        throw new ProtocolError("unknown_error", message);
      }
      return (await this.#own(envelope, afterwards)) ?? this.#passOn(frame);
    });
    if (this.#closed) return;
    void wire.send(encode(reply));
    for (const go of afterwards) await go();
  }

  /** The commands that are about this connection; undefined for all others. */
  async #own({ method, params }: Envelope, afterwards: Afterwards): Promise<Outcome | undefined> {
    if (method === "subscription.subscribe") return this.#subscribe(params, afterwards);
    if (method === "subscription.unsubscribe") return this.#unsubscribe(params);
    if (method === "subscription.reconnect") return this.#reconnect(params, afterwards);
    return undefined;
  }

  async #passOn(frame: unknown): Promise<Outcome> {
    const { threadId, context, commands } = this.place;
    const reply = await commands.handle(threadId, frame, context);
    if (reply.type === "error") throw new ProtocolError(reply.error, reply.message, reply.meta);
    return { result: reply.result, ...(reply.meta && { meta: reply.meta }) };
  }

  async #subscribe(params: Params, afterwards: Afterwards): Promise<Outcome> {
    const { filter, since } = readSubscription(params);
    const id = subscriptionId("socket", filter);
    const replayed = await this.#open(id, filter, since, afterwards);
    return { result: { subscription_id: id, ...(replayed !== undefined && { replayed_events: replayed }) } };
  }

  #unsubscribe(params: Params): Outcome {
    const id = params.requiredText("subscription_id");
    const open = this.#readers.get(id);
    if (!open) throw noSuchSubscription(id);
    open.reader.close();
    this.#readers.delete(id);
    return { result: {} };
  }

  /** Opens subscriptions of a lost connection again, or those of this one, behind the event that was seen last. */
  async #reconnect(params: Params, afterwards: Afterwards): Promise<Outcome> {
    const { threadId } = this.place;
    const last = params.text("last_event_id");
    const since = last === undefined ? undefined : seqOfEventId(last);
    if (last !== undefined && since === undefined) throw params.wrong("last_event_id", "the id of an event");
    const ids = params.texts("subscriptions") ?? [...this.#readers.keys()];
    await requireThread(this.deps, threadId);
    const run = await runOf(this.deps, threadId, params.requiredText("run_id"));
    const filters = ids.map((id) => this.#filterOf(id));
    const restored = ids.length > 0 && filters.every((filter) => filter !== undefined);
    let missed: number | undefined = restored ? 0 : undefined;
    for (const [index, id] of restored ? ids.entries() : []) {
      const filter = filters[index];
      const replayed = filter && (await this.#open(id, filter, since, afterwards));
      missed = missed === undefined || replayed === undefined ? undefined : missed + replayed;
    }
    const current_namespaces = (await agentNodes(this.deps, run)).map(({ namespace, status }) => ({
      namespace,
      status,
    }));
    return {
      result: { restored, ...(missed !== undefined && { missed_events: missed }), current_namespaces },
    };
  }

  #filterOf(id: string): EventFilter | undefined {
    try {
      return this.#readers.get(id)?.filter ?? filterOfSubscription("socket", id);
    } catch {
      return undefined;
    }
  }

  /** Begins to read, and has the events sent behind the reply. @returns how many are stored, if that is known */
  async #open(
    id: string,
    filter: EventFilter,
    since: number | undefined,
    afterwards: Afterwards,
  ): Promise<number | undefined> {
    const { threadId, wire } = this.place;
    this.#readers.get(id)?.reader.close();
    if (this.#readers.size >= MOST_SUBSCRIPTIONS) {
      throw new ProtocolError("invalid_argument", `At most ${MOST_SUBSCRIPTIONS} subscriptions a connection`);
    }
    const reader = new Reader((signal) => this.deps.events.follow(threadId, { filter, since, signal }));
    this.#readers.set(id, { filter, reader });
    const stored = await reader.open();
    afterwards.push(async () => {
      await reader.replay(wire);
      reader.follow(wire).then(
        (end) => end === "deleted" && wire.threadDeleted(),
        (error) => wire.failed(error),
      );
    });
    return stored;
  }
}
