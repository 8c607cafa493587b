import { EVENTS, type EventType, plainText } from "@berth/store";
import type { OutgoingPost } from "./sender.ts";
import { type ReceiverAnswer, type Verdict, verdictOf } from "./verdict.ts";

/** Where chat messages go when a subscription names a channel: any service that speaks as Slack does. */
export type ChatSettings = {
  /** Base of the API, or with no token an incoming webhook. Null: Slack's own. */
  apiUrl: string | null;
  token: string | null;
};

/** A chat message on its way; `isTrusted` when its address is a setting's, not a subscriber's. */
type ChatRequest = OutgoingPost & { isTrusted: boolean };

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

type Fields = Readonly<Record<string, unknown>>;

const SEVERITIES = ["urgent", "high", "medium", "low"];
const MOST_DESCRIPTION = 600;

/** So many events are told in full; a message that holds more would not be read. */
const MOST_IN_FULL = 5;
const MOST_REST = 600;

/** Events of the same kind about the same thing: the first is told, the others are counted. */
type Told = { type: string; object: Fields; trace: Fields; regression: Fields; more: number };

/**
 * Events in a few lines for people, in the marks that Slack and its like read. Several of the same kind about the
 * same issue are one, with how many more there were; no event is left out of the count.
 */
export function chatText(bodies: readonly string[]): string {
  const told = toldApart(bodies);
  const blocks = told.slice(0, MOST_IN_FULL).map(block);
  const rest = told.slice(MOST_IN_FULL);
  return [...blocks, ...(rest.length > 0 ? [restLine(rest)] : [])].join("\n\n");
}

function toldApart(bodies: readonly string[]): Told[] {
  const told = new Map<string, Told>();
  for (const body of bodies) {
    const event = fieldsOf(JSON.parse(body));
    const data = fieldsOf(event.data);
    const object = fieldsOf(data.object);
    const type = text(event.type);
    const regression = fieldsOf(data.regression);
    // That it came back is told by itself, however often it is seen in the same moment.
    const key = `${type} ${"regressed_at" in regression} ${text(object.revision_id) || text(object.id) || text(event.id)}`;
    const known = told.get(key);
    if (known) known.more += 1;
    else told.set(key, { type, object, trace: fieldsOf(data.trace), regression, more: 0 });
  }
  return [...told.values()];
}

function block({ more, ...told }: Told): string {
  const { object } = told;
  const lines = [...linesOf(told), more > 0 ? `${more} more of this` : "", link(object)];
  return lines.filter((line) => line !== "").join("\n");
}

function restLine(rest: Told[]): string {
  const events = rest.reduce((sum, { more }) => sum + more + 1, 0);
  const names = rest.map(({ object, type }) => text(object.name) || text(object.deployment_name) || type);
  return `And ${events} more: ${escaped(shortened([...new Set(names)].join("; "), MOST_REST))}`;
}

function linesOf({ type, ...told }: Omit<Told, "more">): string[] {
  if (!isDeclared(type)) return [`${escaped(type)} ${subject(told.object)}`.trim()];
  const own = LINES[type];
  if (own) return own(told);
  const when = EVENTS[type].when.replace(/\.$/, "");
  return [`${when}: ${subject(told.object)}`, errorMessage(told.object)];
}

const isDeclared = (type: string): type is EventType => Object.hasOwn(EVENTS, type);

/** What a message says of an event beyond when it is sent, what it is about, and its error. */
const LINES: Readonly<Partial<Record<EventType, (told: Omit<Told, "more" | "type">) => string[]>>> = {
  "issue.created": ({ object }) => [
    `New issue (${severity(object)}) in ${session(object)}: ${title(object)}`,
    escaped(shortened(text(object.description), MOST_DESCRIPTION)),
  ],
  "issue.trace.added": ({ object, trace, regression }) => [
    `${"regressed_at" in regression ? "Regression" : "Seen again"} in ${session(object)} (${severity(object)}): ${title(object)}`,
    ...cameBack(regression),
    escaped(text(trace.comment)),
    `Run ${escaped(text(trace.run_id))} of ${text(trace.start_time)}`,
  ],
  "issue.agent_run.failed": ({ object }) => [
    `The issue engine could not scan ${session(object)}: ${escaped(text(object.status))}`,
    errorMessage(object),
  ],
  "deployment.revision.deployed": ({ object }) => [`${revision(object)} is live`],
  "deployment.revision.failed": ({ object }) => [
    `${revision(object)} failed: ${text(object.status)}`,
    errorMessage(object),
  ],
  "backup.failed": ({ object }) => [
    `Scheduled backups fail since ${text(object.failing_since)}: ${lastBackup(object)}`,
    errorMessage(object),
  ],
  "backup.recovered": ({ object }) => [`Scheduled backups succeed again: ${title(object)}`],
};

const lastBackup = ({ last_success_at }: Fields): string =>
  typeof last_success_at === "string" ? `the last one was made at ${last_success_at}` : "none was made yet";
const severity = (object: Fields): string => SEVERITIES[Number(object.severity)] ?? "";
const session = (object: Fields): string => escaped(text(object.session_name));
const title = (object: Fields): string => `*${escaped(text(object.name))}*`;
const errorMessage = (object: Fields): string =>
  escaped(shortened(text(object.error_message), MOST_DESCRIPTION));

/** It was said to be fixed, and it is not. */
function cameBack(regression: Fields): string[] {
  if (!("regressed_at" in regression)) return [];
  const number = text(regression.revision_number) || text(regression.revision_id);
  const where = number === "" ? "" : `, on revision ${escaped(number)}`;
  const count = Number(regression.count);
  return [`It was closed as fixed and came back${where}${count > 1 ? ` (${count} times by now)` : ""}`];
}

/** What an event is about. */
function subject(object: Fields): string {
  if ("revision_number" in object) return revision(object);
  const name = text(object.name) || text(object.deployment_name) || text(object.session_name);
  return name === "" ? "" : `*${escaped(name)}*`;
}

const revision = (object: Fields): string =>
  `Revision ${text(object.revision_number)} of *${escaped(text(object.deployment_name))}*`;

function link(object: Fields): string {
  const url = text(object.url);
  return url === "" ? "" : `<${url.replaceAll(">", "%3E").replaceAll("|", "%7C")}|Open it in Berth>`;
}

/** `<`, `>` and `&` would begin links, mentions (`<!channel>`) and entities. */
function escaped(words: string): string {
  const plain = words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // Services beside Slack take the bare words for a call to everybody.
  return plain.replaceAll(/@(?=(?:all|channel|everyone|here)\b)/gi, "@\u200b");
}

function shortened(words: string, most: number): string {
  return words.length <= most ? words : `${words.slice(0, most).trimEnd()}…`;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? plainText(String(value)) : "";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
