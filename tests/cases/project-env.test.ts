import { expect, test } from "bun:test";
import { describeCase, type ServedCase, send } from "./case.ts";

/** Content of the last message of a stateless run. */
async function reply(served: ServedCase): Promise<string> {
  const input = { messages: [{ role: "user", content: "hello" }] };
  const { text } = await send(served, "POST", "/runs/wait", JSON.stringify({ assistant_id: "agent", input }));
  return JSON.parse(text).messages.at(-1).content;
}

describeCase("python/project-env-2", (served) => {
  test("reads the settings of its own .env", async () => {
    const environment = await reply(served);
    expect(environment).toContain("'DATABASE_URL': 'sqlite:///app.db'");
    expect(environment).toContain("'MY_WORD': 'hello'");
    expect(environment).toContain("'HOST': None");
    expect(environment).toContain("'REDIS_URI': None");
  });
});

describeCase("python/project-env", (served) => {
  test("sets no data folder of Berth", async () => {
    const [first, second] = [await reply(served), await reply(served)];
    expect(first).toMatch(/^\d+:1$/);
    expect(second).toMatch(/^\d+:2$/);
    expect(served.output()).not.toContain("/data ");
  });
});
