import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { ON_POSTGRES } from "../../postgres/for-data.ts";
import { because, testUnless } from "../../skips.ts";
import { start } from "../berth-process.ts";
import { APP } from "./doors.ts";
import { ProtocolThread } from "./protocol-thread.ts";
import { PROTOCOL_PROJECT } from "./served-protocol.ts";
import { ofMethod, type WireEvent } from "./wire-event.ts";

const TURNS = 8;
const FILE_BYTES = 262_144;
/** What the database of commit eb678d0b held after the same turns, before a sweep, in bytes: measured with this test. */
const BYTES_BEFORE = 27_705_344;

/** Text of a file of {@link FILE_BYTES} in base64. */
function randomFile(): string {
  const bytes = new Uint8Array(FILE_BYTES);
  // The most that one call fills.
  for (let at = 0; at < FILE_BYTES; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes.toBase64();
}

const files = Array.from({ length: TURNS }, randomFile);

/** Bytes of the pages that tables and indexes use. */
function usedBytes(data: string): number {
  const db = new Database(join(data, "berth.db"), { readonly: true });
  const row = db.query<{ bytes: number }, []>("select sum(pgsize) as bytes from dbstat").get();
  db.close();
  return row?.bytes ?? 0;
}

/** By event with the thread's state: the files in its messages. */
const filesIn = (events: WireEvent[]): string[][] =>
  ofMethod(events, "values").map(({ params }) => {
    const { messages = [] } = params.data as { messages?: { content: unknown }[] };
    return messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap(({ data }) => (typeof data === "string" ? [data] : [])) : [],
    );
  });

testUnless(because(ON_POSTGRES, "reads the file of the database"))(
  "a chat with a file in each message needs less than half of the room that it needed, and replays the files",
  async () => {
    let berth = await start({ project: PROTOCOL_PROJECT });
    try {
      const thread = new ProtocolThread(berth.url, APP);
      for (const [turn, data] of files.entries()) {
        const file = { type: "file", source_type: "base64", mime_type: "application/pdf", data };
        const content = [{ type: "text", text: `file ${turn}` }, file];
        await thread.run("chat", { messages: [{ type: "human", id: crypto.randomUUID(), content }] });
      }
      thread.close();
      await berth.terminate();
      const bytes = usedBytes(berth.data);
      expect(bytes).toBeLessThan(BYTES_BEFORE / 2);

      berth = await berth.restartOnSameData();
      const again = new ProtocolThread(berth.url, APP, thread.id);
      const reader = await again.read();
      const events = await reader.until("the state with all files", (all) =>
        filesIn(all).some((found) => found.length === TURNS),
      );
      again.close();
      const states = filesIn(events);
      for (const state of states) expect(state).toEqual(files.slice(0, state.length));
      // A log of more than 16 million characters loses its oldest runs when the sweep comes, so there may be fewer.
      expect(states.at(-1)).toEqual(files);
    } finally {
      await berth.stop();
    }
  },
);
