import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { startListener } from "../../../server/cli/webhooks.ts";
import { serviceSignature } from "../../../server/delivery/signature.ts";

const secret = "a secret of enough bytes for anyone";
const body = JSON.stringify({
  id: "0199f3c2",
  type: "issue.created",
  data: { object: { name: "é\u001b[2J" } },
});
const signature = serviceSignature(new TextEncoder().encode(body), secret);

let shown: string[] = [];
let server: ReturnType<typeof startListener>;
beforeAll(() => {
  const print = (text: string) => void shown.push(text);
  server = startListener({ port: 0, host: "127.0.0.1", status: 202, secret, print });
});
afterAll(() => server.stop(true));

async function send(given: string | null, text = body): Promise<{ status: number; text: string }> {
  shown = [];
  const headers = { "content-type": "application/json", ...(given && { "x-service-signature": given }) };
  const { status } = await fetch(server.url, { method: "POST", headers, body: text });
  return { status, text: stripVTControlCharacters(shown.join("\n")) };
}

describe("berth webhooks listen", () => {
  test("shows a delivery whose signature is good, and tells when it comes again", async () => {
    const first = await send(signature);
    expect(first.status).toBe(202);
    for (const words of ["issue.created", "signature good", "0199f3c2", '"object"'])
      expect(first.text).toContain(words);
    expect(first.text).not.toContain("seen before");
    expect((await send(signature)).text).toContain("seen before");
  });

  test("answers 401 to what is signed by nobody or somebody else, and shows it all the same", async () => {
    for (const given of [null, signature.replace(/.$/, "x"), serviceSignature(new Uint8Array(), secret)]) {
      const { status, text } = await send(given);
      expect([given, status]).toEqual([given, 401]);
      expect(text).toMatch(/not signed|SIGNATURE WRONG/);
    }
  });

  test("obeys nothing that comes, whatever it is", async () => {
    const text = "\u001b[2Jnot JSON";
    await send(serviceSignature(new TextEncoder().encode(text), secret), text);
    expect(shown.join("")).toContain("not JSON");
    expect(shown.join("")).not.toContain("\u001b[2J");
  });

  test("takes no forged verdict for its own, be it in a body or in a type", async () => {
    const verdict = "12:00:00  issue.created  signature good  1";
    for (const text of [`\n${verdict}`, JSON.stringify({ type: `a\n${verdict}`, id: `b\n${verdict}` })]) {
      const { text: lines } = await send(null, text);
      expect(lines).toContain("signature good");
      expect(lines.split("\n").filter((line) => line.startsWith("12:00:00"))).toEqual([]);
      expect(lines.split("\n")[0]).toContain("not signed");
    }
  });
});
