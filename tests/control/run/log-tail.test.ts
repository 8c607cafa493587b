import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Instance,
  type InstancePatch,
  LOG_LINES_PER_WRITE,
  MAX_REVISION_LOG_LINES,
  type NewLogLine,
} from "@berth/store";
import { LogTail, MAX_UNREAD_LINES, readLine } from "../../../server/control/run/log-tail.ts";
import { Folders } from "../../../server/machine/folders.ts";
import { Users } from "../../../server/machine/users.ts";
import { maskOf } from "../../../store/secrets/mask.ts";
import { aDeployment, anInstance, aRevision } from "./rig.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const MIB = 1_048_576;

let dataDir: string;
let instance: Instance;
let lines: NewLogLine[];
let log: string;
let tail: LogTail;
/** How many lines each write had. */
let written: number[];
/** What the instance does between two writes. */
let whileWriting = () => {};
/** Makes the next write fail, as a crash before its commit would. */
let fails = false;

const messages = () => lines.map(({ message }) => message);

function newTail(): LogTail {
  const set = async (_: string, patch: InstancePatch) => {
    instance = { ...instance, ...patch };
  };
  return new LogTail({
    folders: new Folders(dataDir, new Users({ isolated: false })),
    instances: { live: async () => [instance], get: async () => instance, set },
    logs: {
      append: async (more, and) => {
        if (fails) throw new Error("the disk is full");
        lines.push(...more);
        written.push(more.length);
        whileWriting();
        if (and) await set(and.instance, { log_offset: and.offset });
      },
    },
    revisions: { secretsOf: async () => [{ name: "KEY", value: "secret-of-the-owner" }] },
    clock: { now: () => NOW },
  });
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "berth-log-"));
  instance = anInstance(aRevision(aDeployment()));
  lines = [];
  written = [];
  whileWriting = () => {};
  fails = false;
  log = new Folders(dataDir, new Users({ isolated: false })).filesOf(instance).log;
  mkdirSync(dirname(log), { recursive: true });
  tail = newTail();
});

afterEach(() => rmSync(dataDir, { recursive: true }));

describe("the log of an instance", () => {
  test("is read as it grows, whole lines only, each once", async () => {
    await tail.once();
    writeFileSync(log, "one\ntw");
    await tail.once();
    expect(messages()).toEqual(["one"]);
    appendFileSync(log, "o\n\nthree\n");
    await tail.once();
    await tail.once();
    expect(messages()).toEqual(["one", "two", "three"]);
    expect(lines[0]).toEqual({
      deployment_id: instance.deployment_id,
      revision_id: instance.revision_id,
      kind: "deploy",
      at: NOW,
      level: "INFO",
      message: "one",
    });
  });

  test("goes on where it was when Berth starts anew, and repeats what was not kept", async () => {
    writeFileSync(log, "one\n");
    await tail.once();
    appendFileSync(log, "two\n");
    fails = true;
    await expect(tail.once()).rejects.toThrow("disk");
    fails = false;
    await newTail().once();
    expect(messages()).toEqual(["one", "two"]);
  });

  test("ends with its last line, finished or not", async () => {
    writeFileSync(log, "one\nPanic: no newl");
    await tail.drain(instance);
    await tail.drain(instance);
    expect(messages()).toEqual(["one", "Panic: no newl"]);
  });

  test("is read once when a turn of the loop and the end of the instance fall together", async () => {
    writeFileSync(log, Array.from({ length: 1_000 }, (_, at) => `line ${at}\n`).join(""));
    await Promise.all([tail.once(), tail.drain(instance), tail.once(), tail.drain(instance)]);
    expect(messages()).toHaveLength(1_000);
  });

  test("is read in parts, which are written one after the other, and so is a line without an end", async () => {
    writeFileSync(log, `${"x".repeat(200_000)}\n${"short\n".repeat(5_000)}`);
    await tail.drain(instance);
    expect(
      messages()
        .slice(0, 4)
        .map((message) => message.length),
    ).toEqual([...Array(3).fill(16_384 + "… (65536 characters)".length), 200_000 - 3 * 65_536]);
    expect(messages().filter((message) => message === "short")).toHaveLength(5_000);
    expect(Math.max(...written)).toBe(LOG_LINES_PER_WRITE);
  });

  test("drops lines that trimming would remove before it writes them, and records how many", async () => {
    writeFileSync(log, "first\n");
    await tail.drain(instance);
    const printed = Array.from({ length: 400_000 }, (_, at) => `line ${at}`);
    appendFileSync(log, `${printed.join("\n")}\nlast`);
    await tail.drain(instance);
    const kept = MAX_UNREAD_LINES;
    const dropped = `… ${printed.length - kept} lines were dropped: the log keeps the newest 20000 lines …`;
    expect(messages()).toEqual(["first", dropped, ...printed.slice(-kept), "last"]);
    expect(lines[1]).toMatchObject({ level: "WARNING", revision_id: instance.revision_id });
    expect(kept + 3).toBeLessThanOrEqual(MAX_REVISION_LOG_LINES);
  });

  test("repeats no dropped line after a crash between two writes", async () => {
    writeFileSync(log, "x\n".repeat(50_000));
    await tail.once();
    await newTail().drain(instance);
    expect(messages()).toHaveLength(MAX_UNREAD_LINES + 1);
  });

  test("is left when a drain has read what there was, although the instance goes on printing", async () => {
    const more = "y\n".repeat(LOG_LINES_PER_WRITE + 1);
    writeFileSync(log, more);
    whileWriting = () => appendFileSync(log, more);
    await tail.drain(instance);
    expect(lines.length).toBeGreaterThan(LOG_LINES_PER_WRITE);
  });

  test("begins anew when its file is too large, although it is never read to its end", async () => {
    writeFileSync(log, "");
    truncateSync(log, 65 * MIB);
    instance.log_offset = 64 * MIB;
    appendFileSync(log, "more\n");
    await tail.once();
    expect(messages()).toEqual([`${MIB + 5} bytes of output are left out: too much at once`]);
    expect([statSync(log).size, instance.log_offset]).toEqual([0, 0]);
  });

  test("begins anew when its file is large and read, or was cut by somebody", async () => {
    writeFileSync(log, "x\n");
    truncateSync(log, 0);
    appendFileSync(log, `${"y".repeat(60_000)}\n`.repeat(130));
    while (instance.log_offset < statSync(log).size) await tail.once();
    appendFileSync(log, `${"y".repeat(60_000)}\n`.repeat(20));
    await tail.drain(instance);
    expect([statSync(log).size, instance.log_offset]).toEqual([0, 0]);
    appendFileSync(log, "after\n");
    await tail.once();
    expect(lines).toHaveLength(151);
    expect(messages().at(-1)).toBe("after");
    truncateSync(log, 0);
    appendFileSync(log, "cut\n");
    await tail.once();
    expect(messages().at(-1)).toBe("cut");
  });

  test("leaves out what comes faster than it can be kept, and says so", async () => {
    writeFileSync(log, "z".repeat(9 * MIB));
    await tail.once();
    expect(messages()).toEqual([`${9 * MIB} bytes of output are left out: too much at once`]);
    expect(statSync(log).size).toBe(0);
  });

  test("holds no secret of the deployment", async () => {
    const text = JSON.stringify({
      time: new Date(NOW).toISOString(),
      level: "error",
      area: "runs",
      message: "m",
    });
    writeFileSync(log, `key: secret-of-the-owner\n${text.replace('"m"', '"with secret-of-the-owner"')}\n`);
    await tail.once();
    expect(messages()).toEqual(["key: ***", "[runs] with ***"]);
  });
});

describe("a line", () => {
  const own = (record: object) => readLine(JSON.stringify(record), NOW);
  const time = "2026-11-22T11:59:59.000Z";

  test("of our own log keeps its time, its level and what it says", () => {
    expect(own({ time, level: "warning", area: "runs", message: "run.ended", run_id: "7", ms: 3 })).toEqual({
      at: NOW - 1_000,
      level: "WARNING",
      message: "[runs] run.ended run_id=7 ms=3",
    });
    const error = { name: "Error", message: "m", stack: "Error: m\n  at x" };
    expect(own({ time, level: "fatal", area: "process", message: "stray error", error })).toMatchObject({
      level: "CRITICAL",
      message: "[process] stray error error=Error: m\n  at x",
    });
  });

  test("of anybody else is taken as it is", () => {
    for (const text of ["plain", "{", '{"time":1}', '{"time":"x","level":"info","message":"m"}', "null"])
      expect(readLine(text, NOW)).toEqual({ at: NOW, level: "INFO", message: text });
  });

  test("is never of the future", () => {
    expect(own({ time: "2999-01-01T00:00:00Z", level: "info", area: "a", message: "m" }).at).toBe(NOW);
  });
});

test("a mask takes secrets out in every form they are printed in, and leaves short words alone", () => {
  const mask = maskOf(['with "quotes" and\nlines of them', "short", "long-enough", "long-enough-too"]);
  expect(mask('a with "quotes" and b')).toBe("a *** b");
  expect(mask('{"a":"with \\"quotes\\" and\\nlines of them"}')).toBe('{"a":"***"}');
  expect(mask("lines of them, short, long-enough, long-enough-too")).toBe("***, short, ***, ***");
});
