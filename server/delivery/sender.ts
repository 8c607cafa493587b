import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { AttemptOutcome } from "@berth/store";
import {
  addressesOf,
  hostOf,
  judgingLookup,
  portOf,
  type Reach,
  Refused,
  type Resolve,
  resolveName,
} from "../reach/index.ts";
import { isSuccess, type ReceiverAnswer } from "./verdict.ts";

/** A POST that goes out. */
export type OutgoingPost = { url: URL; headers: Readonly<Record<string, string>>; body: Uint8Array };

export type SenderOptions = {
  /** Judges where it goes; null for addresses that a setting of this process names. */
  reach: Reach | null;
  resolve?: Resolve;
  /** From the look-up of the name to the line with the status. */
  timeoutMs?: number;
  /** How much of the body is wanted, and how long after the status. */
  bodyBytes?: number;
  bodyMs?: number;
};

const TIMEOUT_MS = 20_000;
const BODY_BYTES = 2_048;
const BODY_MS = 250;
const LONGEST_TARGET = 500;

/** Where an exchange is: what goes wrong is named after it. */
type Phase = "dns" | "connect" | "tls" | "reset";

/** Sends one request and never throws: no proxy, no redirect, no connection that somebody used before. */
export function post(
  outgoing: OutgoingPost,
  options: SenderOptions,
  signal?: AbortSignal,
): Promise<ReceiverAnswer> {
  return new Exchange(outgoing, options, signal).answer();
}

class Exchange {
  readonly #startedAt = performance.now();
  readonly #done = Promise.withResolvers<ReceiverAnswer>();
  readonly #timer: Timer;
  readonly #port: number;
  #phase: Phase = "dns";
  #request: ClientRequest | undefined;
  #isAnswered = false;
  #isOver = false;

  constructor(
    private readonly outgoing: OutgoingPost,
    private readonly options: SenderOptions,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#port = portOf(outgoing.url);
    // One clock over everything: a socket that idles only between two bytes would never run out.
    const limit = options.timeoutMs ?? TIMEOUT_MS;
    this.#timer = setTimeout(() => this.#fail("timeout", `no status within ${limit / 1_000} s`), limit);
    signal?.addEventListener("abort", this.#abort);
  }

  answer(): Promise<ReceiverAnswer> {
    if (this.signal?.aborted) this.#abort();
    else this.#begin().catch((error: unknown) => this.#failed(error));
    return this.#done.promise;
  }

  readonly #abort = () => this.#fail("aborted", "the process stops");

  /** Literal addresses are judged here: nobody looks them up. */
  async #begin(): Promise<void> {
    const { url, headers, body } = this.outgoing;
    const { reach, resolve = resolveName } = this.options;
    const host = hostOf(url);
    const isLiteral = isIP(host) !== 0;
    if (isLiteral && reach) await addressesOf(host, this.#port, reach, resolve);
    if (this.#isOver) return;
    if (isLiteral) this.#phase = "connect";
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send({
      host,
      port: this.#port,
      path: `${url.pathname}${url.search}`,
      method: "POST",
      agent: false,
      // The name as it stands in the URL, also for the certificate.
      headers: { Host: url.host, ...headers, "Content-Length": String(body.length) },
      ...(reach && !isLiteral ? { lookup: this.#lookup(reach, resolve) } : {}),
    });
    this.#request = request;
    this.#watch(request, url.protocol === "https:");
    request.end(body);
  }

  #lookup(reach: Reach, resolve: Resolve) {
    const look = judgingLookup(this.#port, reach, resolve);
    return (...[name, options, done]: Parameters<typeof look>) =>
      look(name, options, (error, address, family) => {
        if (!error) this.#phase = "connect";
        done(error, address, family);
      });
  }

  #watch(request: ClientRequest, isTls: boolean): void {
    request.on("socket", (socket) => {
      socket.on("connect", () => {
        this.#phase = isTls ? "tls" : "reset";
        const address = socket.remoteAddress;
        const reason = this.options.reach?.refusal(address ?? "", this.#port);
        if (reason !== undefined) this.#fail("blocked", `${address} ${reason}`);
      });
      socket.on("secureConnect", () => {
        this.#phase = "reset";
      });
    });
    request.on("response", (message) => void this.#answered(message));
    request.on("upgrade", (message, socket) => {
      socket.destroy();
      this.#fail("reset", `answered with the status ${message.statusCode}`);
    });
    request.on("error", (error) => this.#failed(error));
    request.on("close", () => this.#fail("reset", "the connection was closed without an answer"));
  }

  async #answered(message: IncomingMessage): Promise<void> {
    const status = message.statusCode ?? 0;
    if (status < 200 || status > 599) return this.#fail("reset", `answered with the status ${status}`);
    clearTimeout(this.#timer);
    this.#isAnswered = true;
    // The status decides; what comes behind it can neither change it nor hold this place for long.
    const response = await beginningOf(
      message,
      this.options.bodyBytes ?? BODY_BYTES,
      this.options.bodyMs ?? BODY_MS,
    );
    const retryAfter = message.headers["retry-after"] ?? null;
    const outcome = isSuccess(status) ? "ok" : "http";
    this.#finish({ outcome, status, error: redirectOf(status, message), response, retryAfter });
  }

  #failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Refused) this.#fail("blocked", reason);
    else this.#fail(this.#phase, reason);
  }

  #fail(outcome: AttemptOutcome, error: string): void {
    if (this.#isAnswered) return;
    this.#finish({ outcome, status: null, error, response: null, retryAfter: null });
  }

  /** The first ending counts. */
  #finish(ending: Omit<ReceiverAnswer, "durationMs">): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this.#abort);
    this.#request?.destroy();
    this.#done.resolve({ ...ending, durationMs: Math.round(performance.now() - this.#startedAt) });
  }
}

/** Where a receiver has moved, for whoever set its address; nobody goes there. */
function redirectOf(status: number, { headers }: IncomingMessage): string | null {
  if (status < 300 || status > 399 || !headers.location) return null;
  return `redirects to ${headers.location.slice(0, LONGEST_TARGET)}, which is not followed`;
}

/** As much of a body as comes in time, as text; never fails. */
function beginningOf(message: IncomingMessage, mostBytes: number, mostMs: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    // A character that was cut in two is left out; NUL is what no database takes.
    const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostBytes), { stream: true });
    resolve(text.replaceAll("\0", "\ufffd"));
  };
  const timer = setTimeout(end, mostMs);
  message.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostBytes) end();
  });
  message.on("end", end).on("error", end).on("close", end);
  return promise;
}
