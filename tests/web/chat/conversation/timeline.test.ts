import { describe, expect, test } from "bun:test";
import { readMessages } from "../../../../web/chat/conversation/content.ts";
import { forksOf, originsOf, timingsOf } from "../../../../web/chat/conversation/timeline/branches.ts";
import {
  NO_TIMELINE,
  shownMessages,
  shownSnapshot,
  type Timeline,
  withHistory,
  withValues,
} from "../../../../web/chat/conversation/timeline/timeline.ts";

const message = (id: string) => ({ type: id.startsWith("h") ? "human" : "ai", id, content: `text of ${id}` });

/** A state of the history: its number is its checkpoint's id, so that a greater one is newer. */
const state = (id: string, parent: string | undefined, ids: string[], run = "run") => ({
  values: { messages: ids.map(message) },
  checkpoint: { checkpoint_id: id },
  parent_checkpoint: parent ? { checkpoint_id: parent } : null,
  metadata: { run_id: run },
  created_at: new Date(Number(id) * 1000).toISOString(),
});

/** Two turns; then the second question was asked anew, and that answer given again. */
const history = [
  state("10", "08", ["h1", "a1", "h3", "a4"], "run-4"),
  state("09", "08", ["h1", "a1", "h3", "a3"], "run-3"),
  state("08", "07", ["h1", "a1", "h3"], "run-3"),
  state("07", "03", ["h1", "a1"], "run-3"),
  state("06", "05", ["h1", "a1", "h2", "a2"], "run-2"),
  state("05", "04", ["h1", "a1", "h2"], "run-2"),
  state("04", "03", ["h1", "a1"], "run-2"),
  state("03", "02", ["h1", "a1"], "run-1"),
  state("02", "01", ["h1"], "run-1"),
  state("01", undefined, [], "run-1"),
];
const whole = withHistory(NO_TIMELINE, history, true);

const ids = (timeline: Timeline, chosen?: string) =>
  shownMessages(timeline, { left: new Set(), ...(chosen && { chosen }) }, []).map(({ id }) => id);

describe("branches", () => {
  test("the newest checkpoint is what is shown, and its messages only", () => {
    expect(whole.head?.id).toBe("10");
    expect(ids(whole)).toEqual(["h1", "a1", "h3", "a4"]);
  });

  test("each place where the conversation parts is known, with the way that is shown", () => {
    const head = shownSnapshot(whole, { left: new Set() });
    if (!head) throw new Error("nothing is shown");
    expect(Object.fromEntries(forksOf(whole, head))).toEqual({
      h3: { place: 1, leaves: ["06", "10"] },
      a4: { place: 1, leaves: ["09", "10"] },
    });
  });

  test("another branch shows its own messages", () => {
    expect(ids(whole, "06")).toEqual(["h1", "a1", "h2", "a2"]);
    expect(ids(whole, "09")).toEqual(["h1", "a1", "h3", "a3"]);
  });

  test("a message began in the oldest checkpoint that has it, with its run and what was before", () => {
    const origins = originsOf(whole);
    expect(origins.get("h1")).toMatchObject({ before: "01", snapshot: { id: "02", runId: "run-1" } });
    expect(origins.get("a4")).toMatchObject({ before: "08", snapshot: { id: "10", runId: "run-4" } });
  });

  test("a page that has each message whole only once says the same", () => {
    const sent = new Set<string>();
    const page = history.map(({ values, ...rest }) => {
      const messages = values.messages.map((one) => (sent.has(one.id) ? { id: one.id } : one));
      for (const { id } of values.messages) sent.add(id);
      return { ...rest, values: { messages } };
    });
    expect(withHistory(NO_TIMELINE, page, true)).toEqual(whole);
  });

  test("where older history is missing, nothing is said about where its messages began", () => {
    const part = withHistory(NO_TIMELINE, history.slice(0, 3), false);
    expect(originsOf(part).has("h1")).toBe(false);
    expect(originsOf(part).has("a4")).toBe(true);
  });
});

describe("what the stream tells", () => {
  const values = (list: string[]) => ({ messages: list.map(message) });

  test("a new checkpoint becomes the head, also where it goes on from an older one", () => {
    const forked = withValues(whole, values(["h1", "a1", "h9"]), { id: "11", parentId: "03" });
    expect(forked.head?.id).toBe("11");
    expect(ids(forked)).toEqual(["h1", "a1", "h9"]);
  });

  test("a replay of older checkpoints changes nothing that is shown", () => {
    const replayed = withValues(whole, values(["h1"]), { id: "02", parentId: "01" });
    expect(ids(replayed)).toEqual(ids(whole));
    expect(originsOf(replayed).get("h1")?.snapshot.runId).toBe("run-1");
  });

  test("nothing of it is shown before the history was read", () => {
    const replayed = withValues(NO_TIMELINE, values(["h1"]), { id: "02" });
    expect(
      shownMessages(replayed, { left: new Set() }, readMessages([message("h1"), message("half")])),
    ).toEqual([]);
  });

  test("a message that was taken back disappears, though the client still holds it", () => {
    const streamed = readMessages([message("h1"), message("half")]);
    const during = withValues(
      withValues({ ...NO_TIMELINE, isRead: true }, values(["h1"]), { id: "02" }),
      values(["h1", "half"]),
      undefined,
    );
    expect(shownMessages(during, { left: new Set() }, streamed).map(({ id }) => id)).toEqual(["h1", "half"]);
    const after = withValues(during, values(["h1"]), undefined);
    expect(shownMessages(after, { left: new Set() }, streamed).map(({ id }) => id)).toEqual(["h1"]);
  });

  test("values of a replay without a checkpoint take nothing back that came later", () => {
    const old = { id: "02", parentId: "01" };
    const replayed = withValues(
      withValues(whole, values(["h1", "half"]), old),
      values(["h1"]),
      undefined,
      old,
    );
    expect(ids(replayed)).toEqual(ids(whole));
    expect(replayed.head?.id).toBe("10");
    // At the head they do.
    const head = { id: "10", parentId: "08" };
    expect(ids(withValues(whole, values(["h1", "a1", "h3"]), undefined, head))).toEqual(["h1", "a1", "h3"]);
  });

  test("what only the stream has stands at the end, unless it belongs to what was left", () => {
    const streamed = readMessages([message("h1"), message("old"), message("new")]);
    const view = { left: new Set(["old"]) };
    expect(shownMessages(whole, view, streamed).map(({ id }) => id)).toEqual(["h1", "a1", "h3", "a4", "new"]);
  });

  test("a message sent to an earlier place follows that place until the server says so too", () => {
    const view = { left: new Set<string>(), sentAfter: { checkpoint: "03", head: whole.head } };
    const streamed = readMessages([message("h1"), message("h9")]);
    expect(shownMessages(whole, view, streamed).map(({ id }) => id)).toEqual(["h1", "a1", "h9"]);
    const told = withValues(whole, values(["h1", "a1", "h9"]), { id: "11", parentId: "03" });
    expect(shownMessages(told, view, streamed).map(({ id }) => id)).toEqual(["h1", "a1", "h9"]);
  });

  test("an answer to an earlier place stays when its run ends at a server that announces no checkpoints", () => {
    const view = { left: new Set<string>(), sentAfter: { checkpoint: "03", head: whole.head } };
    const streamed = readMessages([message("h1"), message("a1"), message("a9")]);
    expect(shownMessages(whole, view, streamed).map(({ id }) => id)).toEqual(["h1", "a1", "a9"]);
    const ended = withValues(whole, values(["h1", "a1", "a9"]), undefined);
    expect(shownMessages(ended, view, streamed).map(({ id }) => id)).toEqual(["h1", "a1", "a9"]);
  });

  test("messages whose checkpoint nobody announced stay when an older page of the history comes", () => {
    const streamed = readMessages(["h1", "a1", "h3", "a3"].map(message));
    const told = withValues(NO_TIMELINE, { messages: streamed.map(({ id }) => message(id)) }, undefined);
    const late = withHistory(told, history.slice(-3), true);
    const shown = shownMessages(late, { left: new Set() }, streamed);
    expect(shown.map(({ id }) => id)).toEqual(["h1", "a1", "h3", "a3"]);
  });

  test("todos are those of the newest state", () => {
    const todos = [{ content: "Look", status: "completed" }, { content: "Write", status: "odd" }, "no todo"];
    const told = withValues(NO_TIMELINE, { ...values([]), todos }, { id: "01" });
    expect(told.head?.todos).toEqual([
      { content: "Look", status: "completed" },
      { content: "Write", status: "pending" },
    ]);
  });
});

test("a tool took the time between the checkpoints of its call and of its answer", () => {
  const call = { ...message("a"), tool_calls: [{ id: "c", name: "search", args: {} }] };
  const answer = { type: "tool", id: "t", tool_call_id: "c", content: "found" };
  const states = [
    { ...state("03", "02", []), values: { messages: [call, answer] } },
    { ...state("02", "01", []), values: { messages: [call] } },
    state("01", undefined, []),
  ];
  expect(timingsOf(withHistory(NO_TIMELINE, states, true)).get("c")).toEqual({ start: 2000, end: 3000 });
});
