import { afterAll, describe, expect, test } from "bun:test";
import { BodyTimeout, readBytes, readText } from "../../server/http/body.ts";
import { BodyBudget } from "../../server/http/body-budget.ts";
import { callOf } from "../../server/http/call.ts";
import { renderError } from "../../server/http/errors.ts";
import { TooMany } from "../../server/http/too-many.ts";

const LIMITS = { bytes: 100, bytesPerClient: 60, waitMs: 60_000 };
const state = async (promise: Promise<unknown>) => {
  const pending = Symbol("pending");
  const settled = promise.catch((error: unknown) => error);
  return (await Promise.race([settled, Bun.sleep(5).then(() => pending)])) === pending ? "waits" : settled;
};

describe("the budget of bodies", () => {
  test("a client's bodies take no more than its share, and others have theirs", async () => {
    const budget = new BodyBudget(LIMITS);
    const first = await budget.acquire("a", 50);
    const second = budget.acquire("a", 50);
    expect(await state(second)).toBe("waits");
    const other = await budget.acquire("b", 50);
    const third = budget.acquire("c", 1);
    expect(await state(third)).toBe("waits");
    other.release();
    await third;
    expect(await state(second)).toBe("waits");
    first.release();
    await second;
  });

  test("a body larger than the share is admitted alone", async () => {
    const budget = new BodyBudget(LIMITS);
    const lease = await budget.acquire("a", 1_000);
    const next = budget.acquire("a", 1);
    expect(await state(next)).toBe("waits");
    lease.release();
    await next;
  });

  test("a body whose turn does not come is refused", async () => {
    const budget = new BodyBudget({ ...LIMITS, waitMs: 20 });
    const lease = await budget.acquire("a", 60);
    await expect(budget.acquire("a", 60)).rejects.toBeInstanceOf(TooMany);
    lease.release();
    // Its place is not taken by the refused one.
    (await budget.acquire("a", 60)).release();
  });

  test("a body of unknown length counts as what has arrived of it", async () => {
    const budget = new BodyBudget({ bytes: 5_000_000, bytesPerClient: 4_000_000, waitMs: 20 });
    const one = await budget.acquire("a", null);
    const two = await budget.acquire("a", null);
    one.grow(2_500_000);
    expect(() => two.grow(2_500_000)).toThrow(TooMany);
    one.release();
    two.grow(2_500_000);
  });
});

describe("a body on its way", () => {
  const pace = { graceMs: 150, bytesPerSecond: 1_000_000 };
  const seen: unknown[] = [];
  const budget = new BodyBudget({ bytes: 2_000_000, bytesPerClient: 1_000_000, waitMs: 100 });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      callOf(request).bodies = budget;
      try {
        const isText = new URL(request.url).pathname === "/text";
        const read = isText ? readText : readBytes;
        return Response.json({ length: (await read(request, 3_000_000, { pace })).length });
      } catch (error) {
        seen.push(error);
        return renderError(error, request);
      }
    },
  });
  afterAll(() => server.stop(true));

  /** Sends the head and `pieces`; resolves with the status of the answer. */
  async function send(head: string, pieces: { bytes: number; afterMs?: number }[], path = "/bytes") {
    const { promise, resolve } = Promise.withResolvers<number>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port ?? 0,
      socket: { data: (_, data) => resolve(Number(String(data).split(" ")[1])) },
    });
    socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`);
    for (const { bytes, afterMs = 0 } of pieces) {
      await Bun.sleep(afterMs);
      socket.write(Buffer.alloc(bytes, 120));
    }
    const status = await promise;
    socket.end();
    return status;
  }

  for (const path of ["/text", "/bytes"])
    for (const length of [1_000, 200_000])
      test(`${path} of ${length} bytes that does not arrive is a 408`, async () => {
        expect(await send(`content-length: ${length}`, [{ bytes: 10 }], path)).toBe(408);
        expect(seen.at(-1)).toBeInstanceOf(BodyTimeout);
      });

  test("a body that keeps arriving may take longer than the grace", async () => {
    const pieces = Array.from({ length: 6 }, () => ({ bytes: 100_000, afterMs: 50 }));
    expect(await send("content-length: 600000", pieces)).toBe(200);
  });

  test("bodies over the client's share wait, and are refused", async () => {
    const lease = await budget.acquire("", 900_000);
    expect(await send("content-length: 200000", [{ bytes: 200_000 }])).toBe(429);
    // A small one needs no room.
    expect(await send("content-length: 2000", [{ bytes: 2_000 }])).toBe(200);
    lease.release();
    expect(await send("content-length: 200000", [{ bytes: 200_000 }])).toBe(200);
  });
});
