import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { templateFiles } from "@berth/agent";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { because, describeUnless, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";

type Message = { type: string; content: unknown; name?: string; tool_calls?: { name: string }[] };
type Values = { messages: Message[]; __interrupt__?: { value: { question?: string } }[] };

const python = testPython();
const has = (name: string) =>
  python !== undefined &&
  Bun.spawnSync([python, "-c", `import importlib.util as u, sys; sys.exit(u.find_spec("${name}") is None)`])
    .success;

describeUnless(noPython)("a project that was begun from the template", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-python-templates-"));
  let berth: BerthProcess | undefined;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function talk(template: string, texts: (string | { resume: unknown })[]): Promise<Values[]> {
    const project = join(folder, template);
    mkdirSync(project, { recursive: true });
    for (const [name, text] of Object.entries(templateFiles(template)))
      writeFileSync(join(project, name), text);
    berth = await start({ project, env: { PYTHON: python ?? "" } });
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    const graph = template.replace("python-", "");
    const seen: Values[] = [];
    for (const text of texts) {
      const asked =
        typeof text === "string"
          ? { input: { messages: [{ type: "human", content: text }] } }
          : { command: text };
      seen.push((await client.runs.wait(thread_id, graph, asked)) as Values);
    }
    expect(await berth.stop()).toBe(0);
    return seen;
  }

  const last = (values: Values | undefined) => String(values?.messages.at(-1)?.content);

  test("python-chat answers, and calls its tool", async () => {
    const [small, weather, failed] = await talk("python-chat", [
      "hello",
      "the weather in Paris?",
      "make it fail",
    ]);
    expect(last(small)).toStartWith("I am the offline model: a script");
    expect(last(weather)).toBe(
      "I am the offline model. The weather tool says: It is 18 °C and sunny in Paris.",
    );
    expect(last(failed)).toContain("There is no weather station in Atlantis.");
  });

  test("python-approval asks before it sends, and takes yes and no", async () => {
    const send = "send a note to bob@example.org";
    const [asked, sent, again, refused] = await talk("python-approval", [
      send,
      { resume: true },
      send,
      { resume: { decisions: [{ type: "reject", message: "not today" }] } },
    ]);
    expect(asked?.__interrupt__?.[0]?.value.question).toBe("Shall I run send_email?");
    expect(last(sent)).toContain("The email went out.");
    expect(again?.__interrupt__).toHaveLength(1);
    expect(last(refused)).toContain("The email was not sent. The person declined: not today");
  });

  testUnless(because(!has("deepagents"), "no Python here has the package deepagents"))(
    "python-deep-agent plans, hands work to its subagents, and asks before it sends",
    async () => {
      const [research, asked] = await talk("python-deep-agent", [
        "research boats",
        "send a note to bob@example.org",
      ]);
      expect(last(research)).toContain("both subagents have reported. Summary of the offline writer:");
      expect(asked?.__interrupt__).toHaveLength(1);
    },
  );
});
