import type { OutgoingHttpHeaders } from "node:http";
import type { Clock } from "@berth/agent";
import { type ControlLease, durationsOf, type Leader } from "@berth/store";
import { type Call, HOP_HEADER, type Hops, pathIn } from "../../http/index.ts";
import { ANSWERED_ON_ONE_CONNECTION, ASKED_ON_ONE_CONNECTION } from "./one-connection.ts";
import { namedBy } from "./request-headers.ts";

/** Another process tells nobody that it leads: what is known grows old. */
const TRUST_MS = 250;

/** The machine that runs the deployments, where that is another one. */
export type Elsewhere = {
  /** Whether this process runs them itself. */
  leads(): boolean;
  lease: Pick<ControlLease, "leader">;
  /** Of this process. */
  holder: string;
  hops: Hops;
};

/** Finds the Berth that runs the deployments, and says to it whose request it gets. */
export class LeaderFinder {
  #known: { leader: Leader | undefined; at: number } | undefined;
  #reading: Promise<Leader | undefined> | undefined;

  private readonly clock: Clock;

  constructor(
    private readonly elsewhere: Elsewhere,
    clock: Clock,
  ) {
    this.clock = durationsOf(clock);
  }

  /** The base of its address; undefined while nobody leads, or this process is about to. */
  async find(): Promise<URL | undefined> {
    const leader = await this.#leader();
    if (!leader?.address || leader.holder === this.elsewhere.holder) return undefined;
    return new URL(leader.address);
  }

  /** What is known did not prove good. */
  doubt(): void {
    this.#known = undefined;
  }

  #leader(): Promise<Leader | undefined> {
    const known = this.#known;
    if (known && this.clock.now() - known.at < TRUST_MS) return Promise.resolve(known.leader);
    this.#reading ??= this.elsewhere.lease
      .leader()
      .then((leader) => {
        this.#known = { leader, at: this.clock.now() };
        return leader;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** The headers of a request as the other Berth gets them: all that are not of one connection, and whose it is. */
  headersOf({ headers, method, url }: Request, { id, client, traceparent }: Call): OutgoingHttpHeaders {
    const named = namedBy(headers.get("connection"));
    const onward: OutgoingHttpHeaders = {};
    for (const [name, value] of headers) if (!OF_ONE_HOP.has(name) && !named.has(name)) onward[name] = value;
    const hop = this.elsewhere.hops.sign({ method, path: pathIn(url), client });
    return {
      ...onward,
      ...(traceparent !== undefined && { traceparent }),
      "x-request-id": id,
      [HOP_HEADER]: hop,
    };
  }
}

const OF_ONE_HOP = new Set([...ASKED_ON_ONE_CONNECTION, HOP_HEADER]);

/** Headers of the other Berth's answer that are not the caller's. */
const OF_ITS_ANSWER = new Set(ANSWERED_ON_ONE_CONNECTION);

/** The headers of the other Berth's answer as the caller gets them: it is the one that answers. */
export function passedHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    if (!OF_ITS_ANSWER.has(name)) headers.append(name, raw[at + 1] ?? "");
  }
  return headers;
}
