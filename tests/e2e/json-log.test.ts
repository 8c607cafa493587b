import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { freePort } from "../free-port.ts";
import { berthProgram } from "../smoke/program.ts";
import { FIXTURES, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";

type Line = { time: string; level: string; area: string; message: string; [more: string]: unknown };

/** Every line that was printed; throws on one that is no JSON. */
const linesOf = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("with LOG_FORMAT=json every line is JSON: start, requests, what graphs print, slips in settings, stop", async () => {
  const project = join(import.meta.dir, "json-log-project");
  const berth = await start({
    project,
    env: { LOG_LEVEL: "info", ENGINE_INTERVALL: "5", CHAT_COLOUR: "red" },
  });
  const answer = await fetch(`${berth.url}/runs/wait`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "agent", input: { messages: [] } }),
  });
  expect(answer.status).toBe(200);
  expect(await berth.stop()).toBe(0);
  const lines = linesOf(berth.output());
  const said = (message: string) => lines.find((line) => line.message.includes(message));
  expect(said("Berth is ready")).toMatchObject({ level: "info", url: berth.url, graphs: ["agent"] });
  expect(said("loading")).toMatchObject({ level: "info", area: "graph", message: "loading { deep: true }" });
  expect(said("careful")).toMatchObject({ level: "warning", area: "graph" });
  expect(said("in a node")).toMatchObject({ level: "info", area: "graph", run: expect.any(String) });
  expect(said("ENGINE_INTERVALL (ENGINE_INTERVAL?)")).toMatchObject({ level: "warning", area: "settings" });
  expect(said("CHAT_COLOUR")).toMatchObject({ level: "info" });
  // The run has been answered, and may still be at its end: then it is waited for.
  const stopping = lines.find(({ signal }) => signal === "SIGINT");
  expect(stopping).toMatchObject({
    message: expect.stringMatching(/Berth stops|to end/),
    runs: expect.any(Number),
  });
  expect(lines.at(-1)?.message).toBe("Berth has stopped.");
});

test("a start that fails says so in JSON where that was asked for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-json-log-"));
  try {
    mkdirSync(join(folder, "empty"));
    const args = ["start", "--project", join(folder, "empty"), "--data", join(folder, "data"), "--port", "0"];
    for (const env of [
      { LOG_FORMAT: "json", LOG_JSON: "" },
      { LOG_FORMAT: "", LOG_JSON: "true" },
    ]) {
      const { code, stdout, stderr } = await berthCommand(args, { env });
      expect([code, stdout]).toEqual([1, ""]);
      expect(linesOf(stderr)).toMatchObject([
        { level: "fatal", message: expect.stringContaining("graph.json") },
      ]);
    }
    const wrong = await berthCommand(["start", "--port", "x"], { env: { LOG_FORMAT: "json" } });
    expect(linesOf(wrong.stderr)).toMatchObject([{ message: expect.stringContaining("PORT must be") }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(["whose reader is gone", "on a full disk"])(
  "a log %s holds up neither runs nor a stop",
  async (where) => {
    const data = mkdtempSync(join(tmpdir(), "berth-unread-log-"));
    const port = freePort();
    const isFull = where === "on a full disk";
    const child = Bun.spawn(
      [...berthProgram(), "start", "--project", FIXTURES, "--port", String(port), "--data", data],
      {
        env: { ...process.env, LOG_FORMAT: "json", LOG_LEVEL: "info" },
        stdio: ["ignore", isFull ? Bun.file("/dev/full") : "pipe", "inherit"],
      },
    );
    const url = `http://127.0.0.1:${port}`;
    const isUp = () =>
      fetch(`${url}/ok`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      if (child.stdout instanceof ReadableStream) await child.stdout.cancel();
      await until("Berth answers", isUp);
      // It takes signals soon after it listens, and long before a first run ends.
      const input = { messages: [{ role: "user", content: "hello" }] };
      await new Client({ apiUrl: url }).runs.wait(null, "agent", { input });
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    } finally {
      child.kill("SIGKILL");
      rmSync(data, { recursive: true, force: true });
    }
  },
);
