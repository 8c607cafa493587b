import { beforeAll, describe, expect, test } from "bun:test";
import type { ThreadFrame } from "../../../agent/events/thread-feed.ts";
import { foldOf, lifecycleOf, told } from "./frames.ts";
import { record } from "./recorded.ts";

const GRAPHS = [
  "chat",
  "tool",
  "interrupt",
  "parallel-interrupt",
  "nested-interrupt",
  "error",
  "subgraph",
  "deep",
  "custom",
  "parallel-models",
];

let recorded = new Map<string, ThreadFrame[]>();
const frames = (graph: string) => recorded.get(graph) ?? [];

beforeAll(async () => {
  recorded = await record(GRAPHS);
});

describe.each(GRAPHS)("the log of a run of %s", (graph) => {
  test("gives the same events each time it is read", () => {
    expect(frames(graph).length).toBeGreaterThan(4);
    expect(foldOf(frames(graph))).toEqual(foldOf(frames(graph)));
  });

  test("read to any frame it gives what reading on does not change", () => {
    const whole = foldOf(frames(graph));
    for (let count = 1; count < frames(graph).length; count += 1) {
      const part = foldOf(frames(graph).slice(0, count));
      expect(part).toEqual(whole.slice(0, part.length));
    }
  });

  test("numbers its events upwards, each with its own id, and says them in its JSON", () => {
    const events = foldOf(frames(graph));
    expect(events.map(({ seq }) => seq)).toEqual(
      [...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b),
    );
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    for (const { seq, event_id, method, namespace, json } of events) {
      expect(JSON.parse(json)).toMatchObject({ type: "event", seq, event_id, method, params: { namespace } });
      expect(json).not.toContain("\n");
    }
  });

  test("runs from running to one end, and every namespace that starts has one", () => {
    const events = told(frames(graph));
    const all = lifecycleOf(events);
    expect(all[0]).toBe(" running");
    const end = graph === "error" ? " failed" : graph.includes("interrupt") ? " interrupted" : " completed";
    expect(all.at(-1)).toBe(end);
    expect(all.filter((line) => line.startsWith(" "))).toHaveLength(2);
    const open: string[] = [];
    for (const { method, params } of events) {
      if (method !== "lifecycle" || params.namespace.length === 0) continue;
      const key = params.namespace.join("|");
      if (params.data.event !== "started") {
        // Whatever is inside has ended before.
        expect(open.filter((other) => other.startsWith(`${key}|`))).toEqual([]);
        expect(open).toContain(key);
        open.splice(open.indexOf(key), 1);
      } else {
        const parent = params.namespace.slice(0, -1).join("|");
        expect(parent === "" || open.includes(parent)).toBe(true);
        open.push(key);
      }
    }
    expect(open).toEqual([]);
  });

  test("says nothing in a namespace that has not started", () => {
    const started = new Set<string>([""]);
    for (const { method, params } of told(frames(graph))) {
      const key = params.namespace.join("|");
      if (method === "lifecycle" && params.data.event === "started") started.add(key);
      expect(started.has(key)).toBe(true);
    }
  });
});

test("an interrupt is told once, where it happened", () => {
  for (const [graph, count, depth] of [
    ["interrupt", 1, 0],
    ["parallel-interrupt", 2, 0],
    ["nested-interrupt", 1, 1],
  ] as const) {
    const events = told(frames(graph));
    const asked = events.filter(({ method }) => method === "input.requested");
    expect(asked).toHaveLength(count);
    expect(asked.every(({ params }) => params.namespace.length === depth)).toBe(true);
    expect(JSON.stringify(events)).not.toContain("__interrupt__");
  }
});
