import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { until } from "../e2e/condition.ts";
import { commandOf, isThere } from "../e2e/executors/processes.ts";
import { testUnless } from "../skips.ts";
import { describeCase, type ServedCase } from "./case.ts";

const clientOf = ({ url, headers }: ServedCase) => new Client({ apiUrl: url, defaultHeaders: headers });

/** Text of a run that took one attempt. */
async function textOf(served: ServedCase, assistant: string, input: object): Promise<string | undefined> {
  const client = clientOf(served);
  const { thread_id } = await client.threads.create();
  let [text, attempts]: [string | undefined, number] = [undefined, 0];
  for await (const { event, data } of client.runs.stream(thread_id, assistant, {
    input: { ...input },
    streamMode: ["values"],
  })) {
    if (event === "metadata") attempts += 1;
    if (event === "values") text = (data as { text?: string }).text;
    if (event === "error") throw new Error(JSON.stringify(data));
  }
  expect(attempts).toBe(1);
  return text;
}

describeCase("python/child-stdin", (served) => {
  const texts = {
    ...{ cat: "0:0", async: "0:0", head: "0:0", node: "0:b'0\\n'", stdout: "0" },
    ...{ input: "ERR EOFError: EOF when reading a line", read: "read:", isatty: "False" },
  };
  for (const [how, text] of Object.entries(texts))
    test(how, async () => expect(await textOf(served, "stdin", { how })).toBe(text));

  test("twenty runs beside a process that reads its input", async () => {
    const others = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? "cat" : "isatty"));
    const runs = ["node", ...others].map((how) => textOf(served, "stdin", { how }));
    const expected = ["node", ...others].map((how) => texts[how as keyof typeof texts]);
    expect(await Promise.all(runs)).toEqual(expected);
  });
});

describeCase("python/asyncio-run-at-import", (served) => {
  test("loads, and has what the coroutine returned", async () => {
    const values = await clientOf(served).runs.wait(null, "agent", { input: { messages: [] } });
    expect(values).toMatchObject({ messages: [{ content: "tools: ['a tool']" }] });
  });
});

const processesWith = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(Number(name)).includes(mark))
    .map(Number);

const notLinux = process.platform === "linux" ? undefined : "needs /proc";
type Line = { message: string; run?: string; graph?: string; node?: string; level: string };

describeCase(
  "python/processes",
  (served) => {
    const linesWith = (mark: string): Line[] =>
      served
        .output()
        .split("\n")
        .filter((line) => line.includes(mark) && line.startsWith("{"))
        .map((line) => JSON.parse(line));

    testUnless(notLinux)("no child process has the connection to Berth", async () => {
      const text = await textOf(served, "agent", { how: "inherited" });
      expect(text).toBe("closed=False open=False fork=False spawn=False");
    });

    test("what a run prints, and what its child processes print, is in the log with its id", async () => {
      const client = clientOf(served);
      const { thread_id } = await client.threads.create();
      const mark = `mark-${crypto.randomUUID()}`;
      const run = await client.runs.create(thread_id, "agent", { input: { how: "prints", mark } });
      await client.runs.join(thread_id, run.run_id);
      const withRun = [
        ...["printed in words", "without an end at first", "logged", "in a thread", "by a child"],
        ...["as an error", "by an async child", "forked", "unfinished"],
      ];
      const lines = await until(
        "the lines",
        async () => linesWith(mark).filter(({ message }) => message.startsWith(mark)),
        (found) => found.length > withRun.length,
      );
      const printed = lines.filter(({ run: of }) => of === run.run_id).map(({ message }) => message);
      expect(printed.sort()).toEqual(withRun.map((text) => `${mark} ${text}`).sort());
      // Of bytes on the shared descriptor no run is known.
      expect(lines.find(({ run: of }) => of === undefined)?.message).toBe(`${mark} on the descriptor`);
      expect(lines.find(({ message }) => message.endsWith("words"))).toMatchObject({
        ...{ level: "info", graph: "agent", node: "node", thread: thread_id },
      });
    });

    testUnless(notLinux)("a child process that a cancelled run left is in the log", async () => {
      const client = clientOf(served);
      const { thread_id } = await client.threads.create();
      const mark = `mark-${crypto.randomUUID()}`;
      const run = await client.runs.create(thread_id, "agent", { input: { how: "survivor", mark } });
      const [pid = 0] = await until(
        "its process",
        async () => processesWith(mark),
        (pids) => pids.length > 0,
      );
      await client.runs.cancel(thread_id, run.run_id, true);
      const [line] = await until(
        "the line",
        async () => linesWith(mark).filter(({ message }) => message.includes("left a child process")),
        (found) => found.length > 0,
      );
      expect(line).toMatchObject({ level: "warning", run: run.run_id });
      expect(line?.message).toContain(String(pid));
      expect(isThere(pid)).toBe(true);
      process.kill(pid);
    });

    test("a forked process whose code returns to the loop ends", async () => {
      expect(await textOf(served, "agent", { how: "fork returns" })).toBe("True");
    });

    // The last one: its file is written while Berth stops.
    test("leaves a background task", async () => {
      const mark = `background-${crypto.randomUUID()}`;
      await textOf(served, "agent", { how: "background", mark, seconds: 0.2 });
      await until(
        "its file",
        async () => existsSync(join(served.project, `${mark}.txt`)),
        (there) => there,
      );
    });
  },
  { env: { LOG_FORMAT: "json", LOG_LEVEL: "info" } },
);
