import type { ReceiverAnswer } from "./answer.ts";
import { chatText } from "./chat-text.ts";
import type { OutgoingPost } from "./sender.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** Where chat messages go when a subscription names a channel: any service that speaks as Slack does. */
export type ChatSettings = {
  /** Base of the API, or with no token an incoming webhook. Null: Slack's own. */
  apiUrl: string | null;
  token: string | null;
};

/** A chat message on its way; `isTrusted` when its address is a setting's, not a subscriber's. */
export type ChatRequest = OutgoingPost & { isTrusted: boolean };

const SLACK = "https://slack.com/api";
const JSON_TYPE = "application/json; charset=utf-8";

/** Whether a channel is itself the address of an incoming webhook. */
export function isChatAddress(channel: string): boolean {
  return /^https?:\/\//i.test(channel);
}

/**
 * The request that posts events to a channel, as one message: to the channel's own address, by `chat.postMessage`, or to the
 * incoming webhook that the settings name. Undefined when they name nothing that takes messages.
 * @param bodies the events as a webhook would get them, in the order in which they happened
 */
export function chatRequest(
  channel: string,
  bodies: readonly string[],
  settings: ChatSettings,
): ChatRequest | undefined {
  const text = chatText(bodies);
  const { apiUrl, token } = settings;
  if (isChatAddress(channel)) return { ...message(channel, { text }), isTrusted: false };
  if (token !== null) {
    const url = `${apiUrl ?? SLACK}/chat.postMessage`;
    const options = { unfurl_links: false, unfurl_media: false };
    const request = message(url, { channel, text, ...options }, { Authorization: `Bearer ${token}` });
    return { ...request, isTrusted: true };
  }
  return apiUrl === null ? undefined : { ...message(apiUrl, { channel, text }), isTrusted: true };
}

function message(url: string, content: object, headers: Record<string, string> = {}): OutgoingPost {
  return {
    url: new URL(url),
    headers: { "Content-Type": JSON_TYPE, ...headers },
    body: new TextEncoder().encode(JSON.stringify(content)),
  };
}

/** What `chat.postMessage` says when a later attempt may go through. */
const PASSING = new Set([
  ...["ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable"],
  ...["request_timeout", "message_limit_exceeded", "team_added_to_org"],
]);

/**
 * What a chat's answer means: it says 200 and `"ok": false` when it did not post. An incoming webhook, which
 * says `ok` or nothing, is judged by its status.
 */
export function chatVerdict(answer: ReceiverAnswer): { answer: ReceiverAnswer; verdict: Verdict } {
  const refusal = answer.outcome === "ok" ? refusalIn(answer.response) : undefined;
  if (refusal === undefined) return { answer, verdict: verdictOf(answer) };
  const error = `the chat refused it: ${refusal}`;
  return { answer: { ...answer, outcome: "http", error }, verdict: PASSING.has(refusal) ? "retry" : "dead" };
}

function refusalIn(response: string | null): string | undefined {
  try {
    const said: unknown = JSON.parse(response ?? "");
    if (typeof said !== "object" || said === null || !("ok" in said) || said.ok === true) return undefined;
    return "error" in said ? String(said.error).slice(0, 100) : "unknown";
  } catch {
    return undefined;
  }
}
