import { masked } from "@berth/store";

/** What a delivery sets itself, or HTTP does; also whatever begins with `webhook-`. */
const RESERVED = new Set([
  ...["content-type", "content-length", "content-encoding", "host", "transfer-encoding", "connection"],
  ...["keep-alive", "upgrade", "te", "trailer", "expect", "proxy-connection", "proxy-authorization"],
  ...["x-service-signature", "http2-settings"],
]);
const MOST_HEADERS = 32;
const MOST_NAME = 128;
const MOST_VALUE = 4_096;

/** Why a subscription cannot have a header of its own; undefined when it can. */
export function headerFault(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || name.length > MOST_NAME) return "is no name of a header";
  if (RESERVED.has(lower) || lower.startsWith("webhook-")) return "is set by the service";
  if (value.length > MOST_VALUE) return `must have at most ${MOST_VALUE} characters`;
  // Only what every receiver reads the same way: line ends would begin another header.
  if (!/^[\t\x20-\x7e]*$/.test(value)) return "must be printable ASCII";
  return value === value.trim() ? undefined : "must not begin or end with a space";
}

/** The first fault of all of a subscription's headers, with the name that it is about. */
export function headersFault(
  headers: Readonly<Record<string, string>>,
): { name: string; fault: string } | undefined {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const fault = seen.has(name.toLowerCase()) ? "is there twice" : headerFault(name, value);
    if (fault !== undefined) return { name, fault };
    if (seen.size === MOST_HEADERS) return { name, fault: `is one more than ${MOST_HEADERS}` };
    seen.add(name.toLowerCase());
  }
  return undefined;
}

const MASK = "***";

/** Which headers are shown as they are in the log of a delivery: those without anything secret. */
const SHOWN = new Set(["content-type", "content-length", "user-agent", "webhook-id", "webhook-timestamp"]);

/** Headers as the log of a delivery keeps them. */
export function maskedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name.toLowerCase()) ? value : MASK]),
  );
}

/** Shorter ones are in every other text. */
const LEAST_SECRET = 6;

/** The beginning of an answer as the log keeps it: a receiver may send back what it was sent. */
export function withoutSecrets(
  response: string | null,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (response === null) return null;
  const hidden = Object.entries(headers)
    .filter(([name]) => !SHOWN.has(name.toLowerCase()))
    // Of `Bearer …` and `v1,…` also what stands behind.
    .flatMap(([, value]) => [value, ...value.split(/[ ,=]/)])
    .filter((value) => value.length >= LEAST_SECRET)
    .sort((a, b) => b.length - a.length);
  return masked(hidden.reduce((text, value) => text.replaceAll(value, MASK), response));
}
