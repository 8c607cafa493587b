import { expect, test } from "bun:test";
import { Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../../server/access/index.ts";
import { withoutCredentials } from "../../server/http/credentials.ts";
import { operation } from "../../server/http/operation.ts";
import { call, httpApp } from "./http-app.ts";

const fault = (input: unknown, ...path: string[]) => ({
  loc: ["body", ...path],
  msg: "Input should be a valid URL",
  type: "url_parsing",
  input,
});

/** Made up, in the forms that are documented. */
const SECRETS = [
  "berth_0123456789abcdef",
  "sk-proj-0123456789abcdef",
  "sk-ant-api03-0123456789abcdef",
  "ghp_0123456789abcdef0123456789abcdef0123",
  "github_pat_0123456789abcdef",
  "glpat-0123456789abcdef",
  "xoxb-0123456789-abcdef",
  "AKIA0123456789ABCDEF",
  "AIzaSy0123456789abcdef",
  "lsv2_pt_0123456789abcdef",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEow",
];

test.each(SECRETS)("a text with %s goes back without it", (secret) => {
  const { input } = withoutCredentials(fault(`see ${secret} there`, "note"));
  expect(String(input)).not.toContain(secret.slice(8, 20));
  expect(String(input)).toContain("see ***");
});

test("a login in a URL, an Authorization header and what an object holds are masked", () => {
  expect(withoutCredentials(fault("https://octo:ghp_x@git.test/a.git", "repo_url")).input).toBe(
    "https://***@git.test/a.git",
  );
  expect(withoutCredentials(fault("Bearer abcdefgh12345", "note")).input).toBe("Bearer ***");
  expect(
    withoutCredentials(fault({ a: { api_key: "x", list: ["sk-0123456789"] }, b: 1 }, "config")).input,
  ).toEqual({
    a: { api_key: "***", list: ["***"] },
    b: 1,
  });
});

test("the value of a field that is named like a credential is not repeated, whatever it is", () => {
  for (const name of [
    "api_key",
    "x-api-key",
    "client_secret",
    "password",
    "token",
    "access_token",
    "kubeconfig",
  ])
    for (const input of ["short", 7, true])
      expect([name, "input" in withoutCredentials(fault(input, "config", name))]).toEqual([name, false]);
  expect(withoutCredentials(fault("five", "max_tokens_per_run")).input).toBe("five");
  expect(withoutCredentials(fault(null, "token")).input).toBeNull();
});

test("plain values go back as they came", () => {
  for (const input of ["no-uuid", "https://example.org/a@b", "2026-01-01", 5, false, [], {}])
    expect(withoutCredentials(fault(input, "field")).input).toEqual(input);
});

test("no 422 has them, be it of a schema or of a handler", async () => {
  const { app } = httpApp({
    operations: () => [
      operation(
        {
          method: "POST",
          path: "/things",
          access: issueApi,
          bodyLimit: "small",
          tag: "Things",
          summary: "Make",
          body: Type.Object({
            url: Type.Optional(Type.String({ format: "uri" })),
            token: Type.Optional(Type.Integer()),
          }),
          answers: { 200: "Made" },
        },
        ({ body }) => {
          throw Invalid.body("url", `Value error, ${body.url} is not public`, body.url);
        },
      ),
    ],
  });
  const answerTo = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const { status, body: answer } = await call(app, "/things", {
      method: "POST",
      body: JSON.stringify(body),
      headers,
    });
    expect(status).toBe(422);
    return JSON.stringify(answer);
  };
  for (const body of [
    { url: "//octo:hunter22@git.test" },
    { url: "not a url sk-0123456789hunter22" },
    { url: "https://octo:hunter22@git.test/" },
    { token: "hunter22" },
    { unknown: "hunter22" },
  ])
    expect(await answerTo(body)).not.toContain("hunter22");
});

test.each(["a", "a:b", "-eyJaaaaaaaa", "//a", "bearer  "])(
  "a long text of %j does not stall the answer",
  (piece) => {
    const fault = { loc: ["body", "x"], msg: "m", type: "t" };
    const began = performance.now();
    for (const length of [16_000, 1_000_000])
      withoutCredentials({ ...fault, input: piece.repeat(length / piece.length) });
    expect(performance.now() - began).toBeLessThan(2_000);
  },
);
