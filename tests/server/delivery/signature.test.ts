import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { isSigned, serviceSignature, standardHeaders } from "../../../server/delivery/signature.ts";
import { because, testUnless } from "../../skips.ts";

const ID = "0199f3c2-9d0e-7f1a-8a51-3f1f0f6f2a11";
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwtYFkMx0a1LQ1Y=";
const BODY = `{"id":"${ID}","text":"é – 🌍","score":1.0}`;
const bytes = new TextEncoder().encode(BODY);

// All three by `openssl dgst -sha256`, with -hmac SECRET or with the key in hex.
const DIGEST = "bdf720108a482a6fa02fa6d1911710f53949d1bc635808949d7c869cd0af37c3";
const WITH_DECODED_KEY = "3qoab4R6NiOpG1qmqbVqt22IQ3TDx0soXxtxBJFFQM0=";
const WITH_SHOWN_KEY = "XrPWi/lm06Kt3iHeB8sBJLB54qJSARlmGJgUmIQYvzk=";

test("a body and a secret have one signature", () => {
  expect(serviceSignature(bytes, SECRET)).toBe(`sha256=${DIGEST}`);
  expect(standardHeaders({ id: ID, body: bytes, secret: SECRET, at: 1_767_225_600 })).toEqual({
    "webhook-id": ID,
    "webhook-timestamp": "1767225600",
    "webhook-signature": `v1,${WITH_DECODED_KEY} v1,${WITH_SHOWN_KEY}`,
  });
});

testUnless(because(Bun.which("openssl") === null, "no openssl here"))("openssl computes the same", () => {
  const { stdout } = Bun.spawnSync(["openssl", "dgst", "-sha256", "-hmac", SECRET], { stdin: bytes });
  expect(serviceSignature(bytes, SECRET)).toBe(`sha256=${/[0-9a-f]{64}/.exec(stdout.toString())?.[0]}`);
});

test("a library for Standard Webhooks verifies it, whichever form it reads the secret in", () => {
  const at = Math.floor(Date.now() / 1_000);
  const headers = standardHeaders({ id: ID, body: bytes, secret: SECRET, at });
  expect(new Webhook(SECRET).verify(BODY, headers)).toHaveProperty("score", 1);
  expect(new Webhook(SECRET, { format: "raw" }).verify(BODY, headers)).toHaveProperty("id", ID);
  expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow("No matching signature");

  const given = "a secret of somebody's own, of enough bytes";
  const own = standardHeaders({ id: ID, body: bytes, secret: given, at });
  expect(new Webhook(given, { format: "raw" }).verify(BODY, own)).toHaveProperty("id", ID);
  expect(own["webhook-signature"]?.split(" ")).toHaveLength(1);
});

test("a signature is good for one body and one secret, in one form", () => {
  const good = serviceSignature(bytes, SECRET);
  expect(isSigned(bytes, good, SECRET)).toBe(true);
  const changed = new TextEncoder().encode(BODY.replace("1.0", "1"));
  const headers = [null, "", DIGEST, `sha1=${DIGEST}`, good.toUpperCase(), `${good}0`];
  for (const header of headers) expect([header, isSigned(bytes, header, SECRET)]).toEqual([header, false]);
  expect(isSigned(changed, good, SECRET)).toBe(false);
  expect(isSigned(bytes, good, `${SECRET} `)).toBe(false);
});
