import { createHmac, timingSafeEqual } from "node:crypto";

/** What a request is signed for. */
export type Signed = { id: string; body: Uint8Array; secret: string /** Unix seconds. */; at: number };

/** `sha256=` and the hex digest of the body; the key is the UTF-8 bytes of the secret as it was shown. */
export function serviceSignature(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** Whether a header is the signature of a body; takes as long whatever differs. */
export function isSigned(body: Uint8Array, header: string | null, secret: string): boolean {
  const expected = Buffer.from(serviceSignature(body, secret));
  const given = Buffer.from(header ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * The headers of Standard Webhooks, for libraries that know them. They take a secret as the base64 of the key,
 * or as the key itself: a secret that can be read both ways signs both ways, as the header allows.
 */
export function standardHeaders({ id, body, secret, at }: Signed): Record<string, string> {
  const signatures = keysOf(secret).map((key) => {
    const digest = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64");
    return `v1,${digest}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signatures.join(" ") };
}

const PREFIX = "whsec_";

function keysOf(secret: string): Buffer[] {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const decoded = Buffer.from(text, "base64");
  const own = Buffer.from(secret);
  return decoded.length > 0 && decoded.toString("base64") === text ? [decoded, own] : [own];
}
