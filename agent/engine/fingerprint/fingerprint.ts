import { comparable, normalise } from "./message.ts";

/** Goes up when the same error would get another fingerprint. */
export const FINGERPRINT_VERSION = 1;

export type Seen = {
  detector: string;
  error_type: string | null;
  node: string | null;
  tool: string | null;
  message: string;
};

export type Fingerprint = {
  fingerprint: string;
  version: number;
  error_type: string;
  /** Without what differs from case to case. */
  message: string;
};

/**
 * Tells whether two failures are the same: by the kind of detector, the type of the error, the node and the tool that
 * it came from, and its message without the parts that vary.
 */
export function fingerprintOf(seen: Seen): Fingerprint {
  const { error_type, message } = normalise(seen.error_type, seen.message);
  const parts = [seen.detector, error_type, placeOf(seen.node), placeOf(seen.tool), comparable(message)];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex");
  return {
    fingerprint: `v${FINGERPRINT_VERSION}-${hash.slice(0, 32)}`,
    version: FINGERPRINT_VERSION,
    error_type,
    message,
  };
}

/** Programs that name a step after its item would give every item an issue of its own. */
const placeOf = (name: string | null) => name?.replace(/[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+/gi, "#") ?? null;
