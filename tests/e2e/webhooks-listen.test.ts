import { expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { serviceSignature } from "../../server/delivery/signature.ts";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { berthProgram } from "../smoke/program.ts";
import { berthCommand } from "./command.ts";

const secret = "a secret of enough bytes for anyone";
const body = JSON.stringify({ id: "1", type: "issue.created", data: { object: { name: "é" } } });

test("berth webhooks listen says where, shows what comes and ends when it is told to", async () => {
  const words = ["webhooks", "listen", "--port", "0", "--secret", secret, "--status", "202"];
  const child = Bun.spawn([...berthProgram(), ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
  let printed = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    printed += stripVTControlCharacters(decoder.decode(bytes, { stream: true }));
    const url = /Listening at (http:\S+\/):/.exec(printed)?.[1];
    if (url && !printed.includes("signature good")) {
      const headers = { "x-service-signature": serviceSignature(new TextEncoder().encode(body), secret) };
      expect((await fetch(url, { method: "POST", headers, body })).status).toBe(202);
    }
    if (printed.includes('"name": "é"')) child.kill("SIGTERM");
  }
  clearTimeout(limit);
  expect(await child.exited).toBe(0);
  expect(printed).toContain("issue.created  signature good  1");
});

test.each([
  ["--port", "seven", "--port"],
  ["--status", "99", "--status"],
  ["--prot", "1", "unknown option --prot"],
])("berth webhooks listen %s %s is refused in one line", async (option, value, words) => {
  const { code, stderr } = await berthCommand(["webhooks", "listen", option, value]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^berth: [^\n]+\n$/);
  expect(stderr).toContain(words);
});
