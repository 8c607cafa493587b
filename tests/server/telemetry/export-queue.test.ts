import { expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { ExportQueue, spanCounts } from "../../../server/telemetry/export-queue.ts";
import type { Send } from "../../../server/telemetry/exporter.ts";
import { type ExportedSpan, spanBelow } from "../../../server/telemetry/span.ts";
import { AT_ONCE_MS } from "../../limits.ts";

const MOST = 4_096;

function aSpan(): ExportedSpan {
  const context = spanBelow(undefined, 1);
  return {
    name: "s",
    kind: "internal",
    context,
    parent: undefined,
    startedAt: 1,
    endedAt: 2,
    attributes: {},
  };
}

function queueTo(send: Send) {
  const counts = spanCounts();
  let opened = 0;
  const open = async () => {
    opened += 1;
    return send;
  };
  const queue = new ExportQueue({ open, counts, log: getLogger(["berth", "telemetry"]) });
  const counted = () =>
    Object.fromEntries(counts.samples().map(({ labels, value }) => [labels.outcome, value]));
  return { queue, counted, opened: () => opened };
}

test("what was handed over is sent in batches, when it is told to stop at the latest", async () => {
  const batches: number[] = [];
  const { queue, counted, opened } = queueTo(async (spans) => void batches.push(spans.length));
  expect(opened()).toBe(0);
  for (let i = 0; i < 1_030; i += 1) queue.take(aSpan());
  await queue.stop(1_000);
  expect([batches, counted(), opened()]).toEqual([[512, 512, 6], { exported: 1_030 }, 1]);
});

test("a collector that does not take it costs spans, and nothing else", async () => {
  const { queue, counted } = queueTo(() => Promise.reject(new Error("HTTP 500")));
  for (let i = 0; i < 600; i += 1) queue.take(aSpan());
  await queue.stop(1_000);
  expect(counted()).toEqual({ dropped: 600 });
});

test("a collector that never answers holds up neither those who hand over nor the end", async () => {
  const { queue, counted } = queueTo(() => new Promise(() => undefined));
  for (let i = 0; i < MOST + 100; i += 1) queue.take(aSpan());
  expect(counted()).toEqual({ dropped: 100 });
  const began = performance.now();
  await queue.stop(50);
  expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
  queue.take(aSpan());
  // Those that were on their way may have arrived.
  expect(counted()).toEqual({ dropped: 100 + MOST - 512 + 1 });
});
