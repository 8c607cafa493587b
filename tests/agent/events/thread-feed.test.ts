import { expect, test } from "bun:test";
import { ThreadFeeds, type ThreadFrame } from "../../../agent/events/thread-feed.ts";

const frame = (seq: number, json = "{}"): ThreadFrame => ({
  seq,
  name: "values",
  json,
  run_id: "01999999-0000-7000-8000-000000000001",
  at: 1,
});
const seqs = (frames: ThreadFrame[] | undefined) => frames?.map(({ seq }) => seq);

test("a feed knows what was published since it was opened, and says when the log must be asked", () => {
  const feeds = new ThreadFeeds();
  const feed = feeds.open("t");
  expect(feed.since(0)).toBeUndefined();
  feeds.publish("t", [frame(5), frame(6)]);
  expect(seqs(feed.since(4))).toEqual([5, 6]);
  expect(seqs(feed.since(6))).toEqual([]);
  expect(feed.since(3)).toBeUndefined();
});

test("a number that is missing means that somebody else wrote: what is older is not trusted", () => {
  const feeds = new ThreadFeeds();
  const feed = feeds.open("t");
  feeds.publish("t", [frame(5)]);
  feeds.publish("t", [frame(9)]);
  expect(feed.since(5)).toBeUndefined();
  expect(seqs(feed.since(8))).toEqual([9]);
});

test("a poke sends everybody to the log", async () => {
  const feeds = new ThreadFeeds();
  const feed = feeds.open("t");
  feeds.publish("t", [frame(5)]);
  const changed = feed.changed(feed.version, new AbortController().signal);
  feeds.poke("t");
  await changed;
  expect(feed.since(5)).toBeUndefined();
});

test("what is kept has a bound, and the newest frame is always kept", () => {
  const feeds = new ThreadFeeds();
  const feed = feeds.open("t");
  feeds.publish(
    "t",
    Array.from({ length: 3_000 }, (_, index) => frame(index + 1)),
  );
  expect(feed.since(0)).toBeUndefined();
  expect(feed.since(2_900)).toHaveLength(100);
  feeds.publish("t", [frame(3_001, "x".repeat(3_000_000))]);
  expect(seqs(feed.since(3_000))).toEqual([3_001]);
  expect(feed.since(2_999)).toBeUndefined();
});

test("a thread's feed goes with its last reader, and tells its readers when the thread is deleted", () => {
  const feeds = new ThreadFeeds();
  const first = feeds.open("t");
  const second = feeds.open("t");
  expect(second).toBe(first);
  feeds.close("t", first);
  expect(feeds.isWatched("t")).toBe(true);
  feeds.end("t");
  expect(first.ended).toBe(true);
  expect(feeds.isWatched("t")).toBe(false);
  // A thread of the same id that comes later is another one.
  const later = feeds.open("t");
  feeds.close("t", second);
  expect(feeds.isWatched("t")).toBe(true);
  expect(later.ended).toBe(false);
});
