import { expect, test } from "bun:test";
import { type CheckpointWrite, ListCache, storeWrite } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { advance, load, numbered, storedElements } from "./checkpoint-thread.ts";

everyStore("list channels", (open) => {
  const readBack = async (database: Awaited<ReturnType<typeof open>>, checkpoint?: string) =>
    (await load(new Checkpoints(database), checkpoint)).values.messages;

  test("an appended element is stored alone, and every version reads back as it was", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const ten = numbered(0, 10);
    const first = await advance(saver, undefined, { messages: ten });
    const eleven = [...ten, ...numbered(10, 11)];
    const second = await advance(saver, first, { messages: eleven });
    expect(await storedElements(database)).toBe(11);
    expect(await readBack(database, first.id)).toEqual(ten);
    expect(await readBack(database, second.id)).toEqual(eleven);
  });

  test("savers that come one after another append to the same list, warm or cold", async () => {
    const database = await open();
    const cache = new ListCache();
    let head = await advance(new Checkpoints(database, { cache }), undefined, { messages: numbered(0, 8) });
    for (const next of [new Checkpoints(database, { cache }), new Checkpoints(database)]) {
      head = await load(next);
      head = await advance(next, head, { messages: [...(head.values.messages as object[]), { id: "new" }] });
    }
    expect(await storedElements(database)).toBe(10);
    expect(await readBack(database)).toEqual([...numbered(0, 8), { id: "new" }, { id: "new" }]);
  });

  test("a list that did not change under a new version costs no element", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const messages = numbered(0, 20);
    const head = await advance(saver, undefined, { messages });
    await advance(saver, head, { messages: [...messages] });
    expect(await storedElements(database)).toBe(20);
    expect(await readBack(database)).toEqual(messages);
  });

  test("replacing an element keeps what stands before it", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const messages = numbered(0, 100);
    const head = await advance(saver, undefined, { messages });
    const changed = messages.with(90, { id: 90, text: "other" });
    await advance(saver, head, { messages: changed });
    expect(await storedElements(database)).toBe(110);
    expect(await readBack(database)).toEqual(changed);
    expect(await readBack(database, head.id)).toEqual(messages);
  });

  test("removing elements in the middle and trimming from the front read back", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const messages = numbered(0, 100);
    let head = await advance(saver, undefined, { messages });
    for (const next of [
      messages.toSpliced(50, 10),
      messages.slice(40),
      messages.slice(40, 90),
      messages.slice(88),
    ]) {
      head = await advance(saver, head, { messages: next });
      expect(await readBack(database)).toEqual(next);
    }
  });

  test("shortening to a prefix costs no element", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const head = await advance(saver, undefined, { messages: numbered(0, 100) });
    const shorter = await advance(saver, head, { messages: numbered(0, 90) });
    expect(await storedElements(database)).toBe(100);
    expect(await readBack(database)).toEqual(numbered(0, 90));
    await advance(saver, shorter, { messages: [...numbered(0, 90), { id: "behind the cut" }] });
    expect(await storedElements(database)).toBe(101);
    expect(await readBack(database)).toEqual([...numbered(0, 90), { id: "behind the cut" }]);
  });

  test("a fork keeps both branches", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const root = await advance(saver, undefined, { messages: numbered(0, 50) });
    const left = await advance(saver, root, { messages: [...numbered(0, 50), { id: "left" }] });
    const other = new Checkpoints(database);
    const fork = await load(other, root.id);
    const right = await advance(other, fork, {
      messages: [...(fork.values.messages as object[]), { id: "right" }],
    });
    await advance(saver, left, { messages: [...numbered(0, 50), { id: "left" }, { id: "left 2" }] });
    expect(await readBack(database, right.id)).toEqual([...numbered(0, 50), { id: "right" }]);
    expect(await readBack(database, left.id)).toEqual([...numbered(0, 50), { id: "left" }]);
    expect(await readBack(database)).toEqual([...numbered(0, 50), { id: "left" }, { id: "left 2" }]);
    expect(await storedElements(database)).toBe(53);
  });

  test("replacing the last element again and again stays cheap and shallow", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    let messages: object[] = numbered(0, 64);
    let head = await advance(saver, undefined, { messages });
    for (let turn = 0; turn < 64; turn++) {
      messages = [...messages.slice(0, -1), { id: `done ${turn}` }, { id: `draft ${turn}` }];
      head = await advance(saver, head, { messages });
    }
    expect(await readBack(database)).toEqual(messages);
    // Each of the 128 new elements may move a few times, but the history never does.
    expect(await storedElements(database)).toBeLessThan(64 + 128 * 8);
    const { value } = await database.read
      .selectFrom("channel_values")
      .select("value")
      .where("version", "=", String(head.versions.messages))
      .executeTakeFirstOrThrow();
    expect(JSON.parse(String(value)).length).toBeLessThan(9);
  });

  test("an element that a node changed in place and returned is stored anew", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const messages = numbered(0, 40);
    const head = await advance(saver, undefined, { messages });
    const [, , third] = messages;
    if (third) third.text = "changed in place";
    const after = await advance(saver, head, { messages: [...messages] }, { wrote: [third] });
    expect(await readBack(database, after.id)).toEqual(
      numbered(0, 40).with(2, { id: 2, text: "changed in place" }),
    );
    expect(await readBack(database, head.id)).toEqual(numbered(0, 40));
  });

  test("objects changed in place do not leak into older versions through the cache", async () => {
    const database = await open();
    const cache = new ListCache();
    const first = await advance(new Checkpoints(database, { cache }), undefined, {
      messages: numbered(0, 40),
    });
    const saver = new Checkpoints(database, { cache });
    const head = await load(saver);
    const messages = head.values.messages as { text: string }[];
    const [, , third] = messages;
    if (third) third.text = "changed in place";
    await advance(saver, head, { messages: [...messages] }, { wrote: [third] });
    const older = await load(new Checkpoints(database, { cache }), first.id);
    expect(older.values.messages).toEqual(numbered(0, 40));
  });

  test("the youngest elements are watched even if no write named them", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const messages = numbered(0, 40);
    const head = await advance(saver, undefined, { messages });
    const last = messages.at(-1);
    if (last) last.text = "changed in place";
    await advance(saver, head, { messages: [...messages] });
    expect(await readBack(database)).toEqual(numbered(0, 40).with(39, { id: 39, text: "changed in place" }));
  });

  test("without trust in identity every element is compared", async () => {
    const database = await open();
    await advance(new Checkpoints(database), undefined, { messages: numbered(0, 40) });
    const saver = new Checkpoints(database, { trustIdentity: false });
    const head = await load(saver);
    const messages = head.values.messages as { text: string }[];
    const [, , third] = messages;
    if (third) third.text = "changed in place";
    await advance(saver, head, { messages: [...messages] });
    expect(await readBack(database)).toEqual(numbered(0, 40).with(2, { id: 2, text: "changed in place" }));
  });

  test("equal copies of the elements extend the list", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const head = await advance(saver, undefined, { messages: numbered(0, 40) });
    await advance(saver, head, { messages: numbered(0, 41) });
    expect(await storedElements(database)).toBe(41);
    expect(await readBack(database)).toEqual(numbered(0, 41));
  });
});

everyStore("two savers on one list", (open) => {
  test("both go on from the same element, and neither sees the other's", async () => {
    const database = await open();
    const root = await advance(new Checkpoints(database), undefined, { messages: numbered(0, 20) });
    const savers = [new Checkpoints(database), new Checkpoints(database)];
    const heads = [];
    for (const saver of savers)
      heads.push({ saver, head: await load(saver, root.id), added: [] as object[] });
    const all = [];
    for (let turn = 0; turn < 4; turn++) {
      for (const [index, one] of heads.entries()) {
        one.added = [...one.added, { id: `${index}.${turn}` }];
        one.head = await advance(one.saver, one.head, { messages: [...numbered(0, 20), ...one.added] });
        all.push({ id: one.head.id, messages: [...numbered(0, 20), ...one.added] });
      }
    }
    for (const { id, messages } of all) {
      expect((await load(new Checkpoints(database), id)).values.messages).toEqual(messages);
    }
    expect(await storedElements(database)).toBeLessThan(20 + 8 * 3);
  });

  test("a saver that puts several times before anything is committed loses nothing when it comes second", async () => {
    const database = await open();
    const root = await advance(new Checkpoints(database), undefined, { messages: numbered(0, 20) });
    const waiting: CheckpointWrite[] = [];
    const sink = {
      write: async (write: CheckpointWrite) => void waiting.push(write),
      settled: async () => {},
    };
    const slow = new Checkpoints(database, { sink });
    let head = await load(slow, root.id);
    const heads = [];
    for (let turn = 0; turn < 3; turn++) {
      const messages = [...(head.values.messages as object[]), { id: `slow ${turn}` }];
      head = await advance(slow, head, { messages });
      heads.push({ id: head.id, messages });
    }
    const quick = new Checkpoints(database);
    const fork = await load(quick, root.id);
    // As long as the slow one's first chunk: only the tags tell the two apart.
    await advance(quick, fork, { messages: [...numbered(0, 20), { id: "quick" }] });
    await database.write(async (tx) => {
      for (const write of waiting.splice(0)) await storeWrite(tx, write);
    });
    head = await advance(slow, head, { messages: [...(head.values.messages as object[]), { id: "slow 3" }] });
    for (const write of waiting) await database.write((tx) => storeWrite(tx, write));
    heads.push({ id: head.id, messages: head.values.messages as object[] });
    for (const { id, messages } of heads) {
      expect((await load(new Checkpoints(database), id)).values.messages).toEqual(messages);
    }
  });

  test("a write that ran, was rolled back and runs again stores the same", async () => {
    const database = await open();
    const root = await advance(new Checkpoints(database), undefined, { messages: numbered(0, 20) });
    const waiting: CheckpointWrite[] = [];
    const sink = {
      write: async (write: CheckpointWrite) => void waiting.push(write),
      settled: async () => {},
    };
    const saver = new Checkpoints(database, { sink });
    const head = await advance(saver, await load(saver, root.id), { messages: numbered(0, 22) });
    await advance(saver, head, { messages: numbered(0, 24) });
    const failed = database.write(async (tx) => {
      for (const write of waiting) await storeWrite(tx, write);
      throw new Error("the disk is full");
    });
    expect(await outcome(failed)).toThrow("the disk is full");
    for (const write of waiting) await database.write((tx) => storeWrite(tx, write));
    expect((await load(new Checkpoints(database))).values.messages).toEqual(numbered(0, 24));
    expect(await storedElements(database)).toBe(24);
  });

  test("a thread that is pruned under a running saver keeps the saver's state whole", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const head = await advance(saver, undefined, { messages: numbered(0, 20) });
    await new Checkpoints(database).deleteThread("11111111-1111-4111-8111-111111111111");
    await advance(saver, head, { messages: numbered(0, 22) });
    expect((await load(new Checkpoints(database))).values.messages).toEqual(numbered(0, 22));
  });
});
