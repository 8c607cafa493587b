import { afterEach, expect, test } from "bun:test";
import { masked, maskInProcess, maskOf } from "@berth/store";
import { quickest } from "../../limits.ts";

afterEach(() => maskInProcess({}));

/** Made up, in the formats that their issuers document. */
const LETTERS = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5";
const CREDENTIALS = [
  ...[`sk-${LETTERS}`, `sk-ant-api03-${LETTERS}`, `lsv2_pt_${LETTERS}_0123456789`, `gsk_${LETTERS}`],
  ...[`ghp_${LETTERS}`, `github_pat_${LETTERS}`, `glpat-${LETTERS}`, `npm_${LETTERS}`, `hf_${LETTERS}`],
  ...[`AKIA${LETTERS.toUpperCase().slice(0, 16)}`, `AIza${LETTERS}`, `xoxb-1234567890-${LETTERS}`],
  ...[`sk_live_${LETTERS}`, `whsec_${LETTERS}`, `berth_${LETTERS}`, `SG.${LETTERS}.${LETTERS}`],
  ...[`eyJ${LETTERS}.eyJ${LETTERS}.${LETTERS}`, `123456789:AA${LETTERS}`],
  "-----BEGIN RSA PRIVATE KEY-----\nMIIE+/abc\nxyz=\n-----END RSA PRIVATE KEY-----",
];

test.each(CREDENTIALS)("%s is masked wherever it stands", (secret) => {
  for (const [before, after] of [
    ["", ""],
    ["key=", "."],
    ['{"k":"', '"}'],
    ["Bearer ", "\n"],
  ])
    expect(masked(`${before}${secret}${after}`)).toBe(`${before}***${after}`);
  const json = JSON.stringify({ k: secret });
  expect(JSON.parse(masked(json))).toEqual({ k: "***" });
});

test("passwords of addresses and tokens of headers are masked, and what is around them is not", () => {
  expect(masked("postgres://ada:pass-word@db.example.com/x?a=b")).toBe(
    "postgres://ada:***@db.example.com/x?a=b",
  );
  expect(masked("authorization: Bearer abc.def-123_456~789")).toBe("authorization: Bearer ***");
});

test.each([
  "task-force-of-the-risk-management-2026",
  "sk-learn-is-a-library-of-many-models",
  "https://example.com:8080/a@b?c=d",
  "the bearer of bad news arrived, and basic education is for everybody",
  "thread 0190a0c0-0000-7000-8000-000000000001 of user-1234567890",
  "v2-67cb62959b3a6deee381554e0239e948",
])("%s is no credential", (text) => expect(masked(text)).toBe(text));

test("values of the process, its prefixes and those of a caller are masked, short ones are not", () => {
  maskInProcess({ values: ['a value with "quotes"', "short"], prefixes: ["acme.("] });
  expect(masked('a value with "quotes", short, acme.(12345678 and acme.(1')).toBe(
    "***, short, *** and acme.(1",
  );
  expect(masked(JSON.stringify(['a value with "quotes"']))).toBe('["***"]');
  expect(maskOf(["line one of it\nline two of it"])("> line two of it; acme.(12345678")).toBe("> ***; ***");
});

test("the cost is linear in the text, also in the worst one", async () => {
  for (const part of [
    "sk-",
    "eyJ",
    "eyJaaaaaaaaa.",
    "Bearer ",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "SG.",
    " ",
    "a",
    "sk-a1 ",
  ]) {
    // Short texts are compiled, which is ten times as fast, and longer ones are not.
    const once = part.repeat(Math.ceil(500_000 / part.length));
    const timeOf = async (text: string) => {
      const at = performance.now();
      masked(text);
      return performance.now() - at;
    };
    const short = await quickest(0, () => timeOf(once), 3);
    const long = await quickest(0, () => timeOf(once.repeat(4)), 3);
    expect([part, long < 16 * Math.max(short, 5)]).toEqual([part, true]);
  }
});
