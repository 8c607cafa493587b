import type { Snapshot, Timeline } from "./timeline.ts";

/** The ways that a conversation went on at a place; `leaves` are the newest checkpoints of each, oldest way first. */
export type Fork = { place: number; leaves: string[] };

/** When and where a message came into being. */
export type MessageOrigin = { snapshot: Snapshot /** Where to begin again without it. */; before?: string };

type Branch = { first: string; leaf: string; children: Map<string, Branch> };

/**
 * Where the branches of a thread part, by the message that stands there on the way to `shown`. Two
 * conversations are the same branch as long as their messages are the same.
 */
export function forksOf(timeline: Timeline, shown: Snapshot): Map<string, Fork> {
  const root = branchesOf(timeline);
  const forks = new Map<string, Fork>();
  let branch: Branch | undefined = root;
  for (const id of shown.messageIds) {
    if (!branch) break;
    if (branch.children.size > 1 && branch.children.has(id)) {
      const ways = [...branch.children].sort(([, a], [, b]) => (a.first < b.first ? -1 : 1));
      const place = ways.findIndex(([message]) => message === id);
      forks.set(id, { place, leaves: ways.map(([, way]) => way.leaf) });
    }
    branch = branch.children.get(id);
  }
  return forks;
}

/** The conversations of all checkpoints that have no successor, as a tree of messages. */
function branchesOf(timeline: Timeline): Branch {
  const parents = new Set([...timeline.snapshots.values()].map((snapshot) => snapshot.parentId));
  const firsts = firstSeen(timeline);
  const root: Branch = { first: "", leaf: "", children: new Map() };
  for (const leaf of timeline.snapshots.values()) {
    if (parents.has(leaf.id)) continue;
    let branch = root;
    for (const id of leaf.messageIds) {
      const next = branch.children.get(id) ?? {
        first: firsts.get(id)?.id ?? leaf.id,
        leaf: leaf.id,
        children: new Map(),
      };
      if (leaf.id > next.leaf) next.leaf = leaf.id;
      branch.children.set(id, next);
      branch = next;
    }
  }
  return root;
}

/** The oldest known checkpoint with each message. */
function firstSeen(timeline: Timeline): Map<string, Snapshot> {
  const firsts = new Map<string, Snapshot>();
  for (const snapshot of timeline.snapshots.values())
    for (const id of snapshot.messageIds) {
      const first = firsts.get(id);
      if (!first || snapshot.id < first.id) firsts.set(id, snapshot);
    }
  return firsts;
}

/** Where each message came from. Those that the oldest known checkpoint already held are left out. */
export function originsOf(timeline: Timeline): Map<string, MessageOrigin> {
  const origins = new Map<string, MessageOrigin>();
  for (const [id, snapshot] of firstSeen(timeline)) {
    const before = snapshot.parentId;
    if (before !== undefined && !timeline.snapshots.has(before) && !timeline.complete) continue;
    origins.set(id, { snapshot, before });
  }
  return origins;
}

/** When a tool was called and when it had answered, in milliseconds. */
export type CallTimes = { start?: number; end?: number };

/** The times of tool calls by their id: when the checkpoints with the call and with its answer were written. */
export function timingsOf(timeline: Timeline): ReadonlyMap<string, CallTimes> {
  const timings = new Map<string, CallTimes>();
  const origins = originsOf(timeline);
  for (const message of timeline.messages.values()) {
    const at = origins.get(message.id)?.snapshot.at;
    for (const { id } of message.toolCalls) timings.set(id, { ...timings.get(id), start: at });
    if (message.answers) timings.set(message.answers, { ...timings.get(message.answers), end: at });
  }
  return timings;
}
