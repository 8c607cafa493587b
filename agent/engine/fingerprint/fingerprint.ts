import { comparable, normalise } from "./message.ts";
import { framesOf } from "./place.ts";

/** Goes up when the same error would get another fingerprint. */
const FINGERPRINT_VERSION = 2;

/** What a program said of an error beside its type and message. */
export type Facts = {
  stack?: string | undefined;
  code?: string | undefined;
  status?: number | undefined;
  /** Outermost first. */
  causes?: readonly { type?: string; message?: string; code?: string; stack?: string }[] | undefined;
  /** The project itself says what belongs together. */
  fingerprint?: string | undefined;
};

export type Seen = {
  detector: string;
  error_type: string | null;
  node: string | null;
  tool: string | null;
  message: string;
  facts?: Facts | undefined;
};

export type Fingerprint = {
  /** Of the first failure of its kind; others of the kind get the same. */
  fingerprint: string;
  version: number;
  error_type: string;
  /** Without what differs from case to case. */
  message: string;
  /** What all failures of a kind share beside the message and the frames. */
  place: string;
  /** Where it was thrown, and where each of its causes was: `load (src/load.ts)`; empty where that is not known. */
  frames: string[];
  /** The first of them; null where it is not known. */
  thrown_at: string | null;
  /** Messages of one place are compared with each other: what differs between them may be a value. */
  compared: boolean;
};

const COMPARED = new Set(["exception", "tool_error"]);

/**
 * What a failure is recognised by: first where it was thrown (the kind of detector, the type of the error, the node, the
 * tool, the uppermost frame of the project, the error's code and status, and those of what caused it), then its
 * message without the parts that vary.
 */
export function fingerprintOf(seen: Seen): Fingerprint {
  const { facts = {} } = seen;
  const { error_type, message } = messageOf(seen);
  const frames = [facts.stack, ...(facts.causes ?? []).map(({ stack }) => stack)].map(thrownIn);
  const made = { version: FINGERPRINT_VERSION, error_type, message, frames, thrown_at: frames[0] || null };
  if (facts.fingerprint !== undefined) return { ...made, ...ownPrint(facts.fingerprint) };
  const place = placeOf(seen, error_type);
  return {
    ...made,
    place,
    fingerprint: printOf(hashOf([place, frames, comparable(message)])),
    compared: COMPARED.has(seen.detector),
  };
}

/** What is recognised by a key that the project, or a person, gave it. */
export function ownPrint(key: string): Pick<Fingerprint, "place" | "fingerprint" | "compared"> {
  const place = hashOf(["own", key]);
  return { place, fingerprint: printOf(place), compared: false };
}

/** The message, and behind it those of its causes that it does not repeat. */
function messageOf({ error_type, message, facts }: Seen): { error_type: string; message: string } {
  const made = normalise(error_type, message);
  const causes = (facts?.causes ?? []).flatMap((cause) => {
    if (!cause.message || message.includes(cause.message)) return [];
    return [normalise(cause.type || null, cause.message).message];
  });
  return { ...made, message: [made.message, ...causes].filter((text) => text !== "").join(" ← ") };
}

function placeOf({ detector, node, tool, facts = {} }: Seen, error_type: string): string {
  const causes = (facts.causes ?? []).map(({ type = "", code }) => [type, codeOf(code)]);
  const said = [codeOf(facts.code), facts.status ?? null];
  return hashOf([detector, error_type, stepOf(node), stepOf(tool), said, causes]);
}

/** A code that counts or names a case tells nothing of the kind. */
function codeOf(code: string | undefined): string | null {
  return code === undefined || code.length > 60 || /\d{6,}|[0-9a-f]{8}-/.test(code) ? null : code;
}

/** Programs that name a step after its item would give every item an issue of its own. */
const stepOf = (name: string | null) => name?.replace(/[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+/gi, "#") ?? null;

/** The frames that tell where something was thrown, as people read them. */
function thrownIn(stack: string | undefined): string {
  const frames = stack ? framesOf(stack) : [];
  return frames.map(({ file, function: name }) => (name === null ? file : `${name} (${file})`)).join(" < ");
}

const printOf = (hash: string) => `v${FINGERPRINT_VERSION}-${hash}`;

const hashOf = (parts: unknown) =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
