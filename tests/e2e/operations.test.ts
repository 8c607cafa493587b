import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { a2aOperations, mcpOperations } from "./operations/agents.ts";
import { assistantOperations } from "./operations/assistants.ts";
import {
  type OperationRow,
  type Place,
  requestOf,
  type Sent,
  UNKNOWN_ID,
} from "./operations/operation-row.ts";
import { makePlace } from "./operations/place.ts";
import { cronOperations, runOperations } from "./operations/runs.ts";
import { storeOperations } from "./operations/store.ts";
import { systemOperations } from "./operations/system.ts";
import { protocolOperations, threadOperations } from "./operations/threads.ts";
import { ProtocolSocket } from "./protocol/protocol-socket.ts";
import { servedBerth } from "./served-berth.ts";

/** Every operation that the reference has, in its order. */
const AREAS: Record<string, OperationRow[]> = {
  Assistants: assistantOperations,
  Threads: threadOperations,
  "Thread protocol": protocolOperations,
  Runs: runOperations,
  Crons: cronOperations,
  Store: storeOperations,
  MCP: mcpOperations,
  A2A: a2aOperations,
  System: systemOperations,
};

type Answer = { status: number; found: unknown };

const berth = servedBerth({ env: { BERTH_TEST: "1" } });
const components = servedBerth({ project: join(import.meta.dir, "custom", "project") });
let place: Place;
let socket: ProtocolSocket;
let subscription = "";
const called: string[] = [];

beforeAll(async () => {
  place = await makePlace(berth.url, components.url);
  socket = await ProtocolSocket.open(`${berth.url}/threads/${place.thread}/stream/events`);
});

afterAll(() => {
  socket.close();
  const count = Object.values(AREAS).flat().length;
  console.log([`${count} operations, each called well and badly:`, ...called].join("\n"));
});

/** Of a stream what came until `text` was in it, of JSON the value, of anything else the text. */
async function read(response: Response, text: unknown): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream") || !response.body) {
    const whole = await response.text();
    return type.includes("json") && typeof text !== "string" ? JSON.parse(whole) : whole;
  }
  let found = "";
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    found += bytes;
    if (typeof text === "string" && found.includes(text)) break;
  }
  return found;
}

async function send(row: OperationRow, sent: Sent, known: boolean, shape: unknown): Promise<Answer> {
  if (row.socket) {
    const { method, params } = JSON.parse(
      JSON.stringify(sent.body).replace("{subscription_id}", subscription),
    );
    const reply = await socket.command(method, params);
    subscription =
      (reply.result as { subscription_id?: string } | undefined)?.subscription_id ?? subscription;
    return { status: 200, found: { ...reply, id: 1 } };
  }
  const { url, init } = requestOf(row, place, sent, known);
  const response = await fetch(url, init);
  return { status: response.status, found: await read(response, shape) };
}

function expectAnswer(answer: Answer, { status, shape }: { status: number; shape?: unknown }): void {
  expect({ status: answer.status, found: answer.found }).toMatchObject({ status });
  if (typeof shape === "string") expect(answer.found).toContain(shape);
  else if (shape !== undefined) expect({ found: answer.found }).toMatchObject({ found: shape });
}

for (const [area, rows] of Object.entries(AREAS)) {
  describe(area, () => {
    for (const row of rows) {
      const { route, good, answers, bad, refuses = { status: 404 }, open } = row;
      if (open) {
        test(`${route} is still open: ${open}`, async () => {
          const { status } = await send(row, (await good?.(place)) ?? {}, true, answers.shape);
          expect([404, 405, 501]).toContain(status);
          called.push(`${area.padEnd(16)} ${route} OPEN (${open})`);
        });
        continue;
      }
      test(route, async () => {
        expectAnswer(await send(row, (await good?.(place)) ?? {}, true, answers.shape), answers);
        const command = row.route.split(" ").length > 2;
        const refused = await send(row, (await bad?.(place)) ?? {}, command, refuses.shape);
        expectAnswer(refused, refuses);
        if (refuses.shape === undefined) {
          expect(refused.found).toMatchObject({ detail: expect.stringMatching(/\S/) });
        }
        called.push(`${area.padEnd(16)} ${route} ${answers.status}, refused with ${refuses.status}`);
      });
    }
  });
}

test("no operation is named twice, and ids that nobody has are nobody's", () => {
  const routes = Object.values(AREAS).flatMap((rows) => rows.map(({ route }) => route));
  expect(new Set(routes).size).toBe(routes.length);
  expect(Object.values(place)).not.toContain(UNKNOWN_ID);
});
