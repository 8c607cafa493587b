import { expect, test } from "bun:test";
import { type Instance, LOG_LINES_PER_WRITE, type NewLogLine } from "@berth/store";
import { getLogger } from "@logtape/logtape";
import { ContainerLogs } from "../../../../server/control/run/container/container-logs.ts";
import { MAX_UNREAD_LINES } from "../../../../server/control/run/log-tail.ts";
import { aDeployment, anInstance, aRevision } from "../rig.ts";

const BEGAN = Date.parse("2026-11-22T12:00:00Z");

/** Ten lines for each millisecond, as an engine gives them. */
const keptLine = (at: number) => `${new Date(BEGAN + Math.floor(at / 10)).toISOString()} line ${at}`;

test("output of a container beyond what the log keeps is dropped before it is written, and counted", async () => {
  let instance: Instance = {
    ...anInstance(aRevision(aDeployment())),
    container: "docker:1",
    created_at: BEGAN,
  };
  let count = 50_000;
  const lines: NewLogLine[] = [];
  const written: number[] = [];
  const logs = new ContainerLogs({
    instances: { live: async () => [instance], get: async () => instance },
    logs: {
      append: async (more, and) => {
        lines.push(...more);
        written.push(more.length);
        if (and) instance = { ...instance, log_offset: and.offset };
      },
    },
    revisions: { secretsOf: async () => [] },
    sourceOf: () => ({
      isReadable: () => true,
      async *printed(_, since) {
        for (let at = 0; at < count; at += 1) if (keptLine(at) >= since) yield keptLine(at);
      },
    }),
    logger: getLogger("test"),
  });
  await logs.once();
  const messages = () => lines.map(({ message }) => message);
  const newest = Array.from({ length: MAX_UNREAD_LINES }, (_, at) => `line ${count - MAX_UNREAD_LINES + at}`);
  const dropped = `… ${count - MAX_UNREAD_LINES} lines were dropped: the log keeps the newest 20000 lines …`;
  expect(messages()).toEqual([dropped, ...newest]);
  expect(lines[0]?.level).toBe("WARNING");
  expect(Math.max(...written)).toBe(LOG_LINES_PER_WRITE);

  count += 5;
  await logs.once();
  expect(messages().slice(1 + MAX_UNREAD_LINES)).toEqual([0, 1, 2, 3, 4].map((at) => `line ${50_000 + at}`));
});
