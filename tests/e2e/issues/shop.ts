import { join } from "node:path";
import { startReceiver } from "../../server/delivery/receiver.ts";
import { start } from "../berth-process.ts";
import { query, type Value } from "../stored.ts";

export const TOKEN = "a token of the receiver's";
export const CHAT_TOKEN = "xoxb-for-tests";

export type Envelope = {
  id: string;
  type: string;
  created: number;
  request_id: string;
  data: { object: Record<string, unknown>; trace?: Record<string, unknown>; regression?: unknown };
};
export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A Berth that serves a shop whose tool fails when it is told to, with a receiver and a chat. */
export async function openShop(env: Record<string, string> = {}) {
  const receiver = startReceiver();
  const chat = startReceiver(() => Response.json({ ok: true }));
  let berth = await start({
    project: join(import.meta.dir, "project"),
    env: {
      ...{ ENGINE_INTERVAL: "0", WEBHOOK_ALLOW: "127.0.0.0/8", LG_WEBHOOK_TOKEN: TOKEN },
      ...{ CHAT_TOKEN, CHAT_API_URL: chat.url.replace(/\/$/, ""), ...env },
    },
  });
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(berth.url + path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return {
    get berth() {
      return berth;
    },
    receiver,
    chat,
    send,
    get: (path: string) => send("GET", path),
    post: (path: string, body?: unknown) => send("POST", path, body),
    /** A run for each fault; undefined for one that goes well. */
    order: (faults: (string | undefined)[]) =>
      Promise.all(
        faults.map((fault, order) =>
          send("POST", "/runs/wait", { assistant_id: "shop", input: { order, fault } }),
        ),
      ),
    envelopes: () => receiver.received.map(({ body }): Envelope => JSON.parse(body)),
    /** Changes the database beside the process. */
    change: (sql: string, ...values: Value[]) => query(berth.data, sql, ...values),
    /** As after a power cut; with these settings beside its own from then on. */
    async killAndRestart(changed: Record<string, string> = {}) {
      await berth.kill9();
      berth = await berth.restartOnSameData(changed);
    },
    async close() {
      await berth.stop();
      receiver.stop();
      chat.stop();
    },
  };
}
