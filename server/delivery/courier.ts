import type { ClaimedDelivery } from "@berth/store";
import { type Reach, Refused, type Resolve, readUrl } from "../reach/index.ts";
import { VERSION } from "../version.ts";
import { type ChatSettings, chatRequest, chatVerdict } from "./chat.ts";
import { headerFault, maskedHeaders, withoutSecrets } from "./headers.ts";
import { type OutgoingPost, post } from "./sender.ts";
import { serviceSignature, standardHeaders } from "./signature.ts";
import { type ReceiverAnswer, type Verdict, verdictOf } from "./verdict.ts";

/** Hands a request to the project's own app, in this process: for addresses that are only a path. */
export type Local = (path: string, init: RequestInit) => Promise<Response>;

export type CourierParts = {
  reach: Reach;
  chat: ChatSettings;
  /** The secret of this moment; undefined where nothing is signed. */
  secretOf(subscriptionId: string): Promise<string | undefined>;
  /** Null in a process without such an app. */
  local: Local | null;
  now(): number;
  resolve?: Resolve;
  timeoutMs?: number;
};

/** What an attempt came to. */
export type Attempted = { answer: ReceiverAnswer; verdict: Verdict; requestHeaders: Record<string, string> };

const AGENT = `Berth/${VERSION}`;
/** A chat says in its body whether it took a message: that much of it, and that long, is waited for. */
const CHAT_BODY = { bodyBytes: 16_384, bodyMs: 5_000 };
const LOCAL_TIMEOUT_MS = 20_000;
const KEPT_CHARS = 2_048;

/** Makes the request of deliveries, sends it once and judges the answer. */
export class Courier {
  constructor(private readonly parts: CourierParts) {}

  /**
   * Never throws for what a receiver does.
   * @param together one delivery, or those of a channel that one message tells, in their order
   * @throws WrongSecretsKey
   */
  async attempt(together: readonly ClaimedDelivery[], signal: AbortSignal): Promise<Attempted> {
    const [first] = together;
    if (!first) throw new Error("nothing to send");
    try {
      if ("url" in first.to) return await this.#toUrl(first, first.to.url, signal);
      const bodies = together.map(({ body }) => body);
      return await this.#toChat(first.to.channel, bodies, signal);
    } catch (error) {
      // An address or a channel that was taken once and is none now.
      if (error instanceof Refused) return refused(error.message);
      throw error;
    }
  }

  async #toUrl(claimed: ClaimedDelivery, url: string, signal: AbortSignal): Promise<Attempted> {
    const body = new TextEncoder().encode(claimed.body);
    const headers = await this.#headers(claimed, body);
    if (url.startsWith("/")) return this.#toApp(url, { headers, body });
    const sent = await this.#post({ url: readUrl(url), headers, body }, signal);
    const answer = { ...sent, response: withoutSecrets(sent.response, headers) };
    return { answer, verdict: verdictOf(answer), requestHeaders: maskedHeaders(headers) };
  }

  #post(outgoing: OutgoingPost, signal: AbortSignal, more: object = {}): Promise<ReceiverAnswer> {
    const { reach, resolve, timeoutMs } = this.parts;
    return post(
      outgoing,
      { reach, ...(resolve && { resolve }), ...(timeoutMs && { timeoutMs }), ...more },
      signal,
    );
  }

  async #headers(claimed: ClaimedDelivery, body: Uint8Array): Promise<Record<string, string>> {
    const own = Object.entries(claimed.headers).filter(([name, value]) => !headerFault(name, value));
    return {
      "User-Agent": AGENT,
      ...Object.fromEntries(own),
      "Content-Type": "application/json",
      "webhook-id": claimed.id,
      ...(claimed.subscription_id !== null &&
        (await this.#signatures(claimed, claimed.subscription_id, body))),
    };
  }

  async #signatures({ id }: ClaimedDelivery, subscriptionId: string, body: Uint8Array) {
    const secret = await this.parts.secretOf(subscriptionId);
    // It was deleted a moment ago: nothing goes out unsigned.
    if (secret === undefined) throw new Error("the subscription has no secret");
    const at = Math.floor(this.parts.now() / 1_000);
    const signature = serviceSignature(body, secret);
    return { "X-Service-Signature": signature, ...standardHeaders({ id, body, secret, at }) };
  }

  async #toChat(channel: string, events: string[], signal: AbortSignal): Promise<Attempted> {
    const request = chatRequest(channel, events, this.parts.chat);
    if (request === undefined) return refused("neither CHAT_TOKEN nor CHAT_API_URL is set");
    const { isTrusted, ...outgoing } = request;
    const headers = { "User-Agent": AGENT, ...outgoing.headers };
    // The settings of this process may name any address; a subscriber may not.
    const sent = await this.#post({ ...outgoing, headers }, signal, {
      ...CHAT_BODY,
      ...(isTrusted && { reach: null }),
    });
    const { answer, verdict } = chatVerdict(sent);
    const response = withoutSecrets(answer.response?.slice(0, KEPT_CHARS) ?? null, headers);
    return { answer: { ...answer, response }, verdict, requestHeaders: maskedHeaders(headers) };
  }

  async #toApp(path: string, { headers, body }: Omit<OutgoingPost, "url">): Promise<Attempted> {
    const { local, timeoutMs = LOCAL_TIMEOUT_MS } = this.parts;
    if (local === null) return refused("the project has no app of its own");
    const startedAt = performance.now();
    const ended = (answer: Partial<ReceiverAnswer> & Pick<ReceiverAnswer, "outcome">): Attempted => {
      const durationMs = Math.round(performance.now() - startedAt);
      const whole = { status: null, error: null, response: null, retryAfter: null, durationMs, ...answer };
      return { answer: whole, verdict: verdictOf(whole), requestHeaders: maskedHeaders(headers) };
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const late = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => late.reject(signal.reason));
    try {
      const sent = local(path, { method: "POST", headers, body: Buffer.from(body), signal });
      const response = await Promise.race([sent, late.promise]);
      void response.body?.cancel().catch(() => undefined);
      const { status, ok } = response;
      return ended({ outcome: ok ? "ok" : "http", status, retryAfter: response.headers.get("retry-after") });
    } catch (error) {
      if (signal.aborted)
        return ended({ outcome: "timeout", error: `no status within ${timeoutMs / 1_000} s` });
      return ended({ outcome: "reset", error: error instanceof Error ? error.message : String(error) });
    }
  }
}

function refused(error: string): Attempted {
  const answer: ReceiverAnswer = {
    ...{ outcome: "blocked", status: null, durationMs: 0, error, response: null, retryAfter: null },
  };
  return { answer, verdict: "dead", requestHeaders: {} };
}
