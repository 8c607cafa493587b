import { AGENT, APP } from "../protocol/doors.ts";
import { ALL_CHANNELS, ProtocolReader } from "../protocol/protocol-reader.ts";
import { ProtocolSocket } from "../protocol/protocol-socket.ts";
import { seqsOf, type WireEvent } from "../protocol/wire-event.ts";
import type { SpokenThread } from "./spoken-thread.ts";

/** A stream or a socket on a thread: what came over it so far, and whether the server ended it. */
type Connection = {
  readonly events: WireEvent[];
  readonly ended: boolean;
  until(what: string, holds: (events: WireEvent[]) => boolean): Promise<WireEvent[]>;
  close(): void;
};

export type ReaderKind = "sse" | "socket";

const DOORS = [AGENT, APP];
const channels = ALL_CHANNELS;
/** How long who does not stay to the end looks on, at most. */
const LONGEST_VISIT_MS = 4_000;

export type ReaderOptions = {
  url: string;
  kind: ReaderKind;
  random: () => number;
  /** One of the threads that are spoken in now. */
  pick: () => SpokenThread;
  fault: (what: string) => void;
};

/** One client that comes and goes: to a thread, often back to it behind what it has seen, then to another one. */
export class ThreadReader {
  visits = 0;
  events = 0;
  #stopped = false;
  readonly #work: Promise<void>;

  constructor(private readonly options: ReaderOptions) {
    this.#work = this.#comeAndGo();
  }

  /** Makes no further visit; resolves when the last is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work;
  }

  async #comeAndGo(): Promise<void> {
    const { random, pick, kind, fault } = this.options;
    while (!this.#stopped) {
      const thread = pick();
      let since = 0;
      do {
        try {
          since = await this.#visit(thread, since, !this.#stopped && random() < 0.2);
        } catch (error) {
          fault(`${kind} in ${thread.id}: ${error}`);
          break;
        }
      } while (!this.#stopped && thread.told === undefined && random() < 0.6);
    }
  }

  /** Looks on for a while, or to the end, and gives the number of the last event that it saw. */
  async #visit(thread: SpokenThread, since: number, stays: boolean): Promise<number> {
    const { random, kind, fault } = this.options;
    const connection = await this.#open(thread, since);
    try {
      if (stays) {
        await thread.over;
        const last = thread.told?.at(-1) ?? 0;
        await connection.until("its end", (events) => Math.max(since, events.at(-1)?.seq ?? 0) >= last);
      } else {
        await Bun.sleep(50 + random() * LONGEST_VISIT_MS);
      }
      const seqs = seqsOf(connection.events);
      if (connection.ended) fault(`${kind} in ${thread.id}: the server ended it`);
      thread.note({ by: kind, since, seqs, stayed: stays });
      this.visits += 1;
      this.events += seqs.length;
      return seqs.at(-1) ?? since;
    } finally {
      connection.close();
    }
  }

  async #open({ id }: SpokenThread, since: number): Promise<Connection> {
    const { url, kind, random } = this.options;
    const path = `${url}${(DOORS[random() < 0.5 ? 0 : 1] ?? AGENT).stream(id)}`;
    if (kind === "sse") {
      const reader = await ProtocolReader.open(path, { channels, since });
      return {
        events: reader.events,
        get ended() {
          return reader.end !== undefined;
        },
        until: (what, holds) => reader.until(what, holds),
        close: () => reader.close(),
      };
    }
    const socket = await ProtocolSocket.open(path);
    await socket.command("subscription.subscribe", { channels, since });
    return {
      get events() {
        return socket.events;
      },
      get ended() {
        return socket.closed !== undefined;
      },
      until: (what, holds) => socket.until(what, holds),
      close: () => socket.close(),
    };
  }
}
