import { afterEach, beforeEach, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { Rig } from "./rig.ts";

const HERE = DEFAULT_WORKSPACE.id;
const ELSEWHERE = "0197f0a0-0000-7000-8000-00000000beef";
/** Builds at once, of all workspaces, in this rig. */
const CONCURRENCY = 4;

let rig: Rig;

beforeEach(async () => {
  rig = await Rig.open();
  await rig.db.write((tx) =>
    tx.insertInto("workspaces").values({ id: ELSEWHERE, name: "elsewhere", created_at: 0 }).execute(),
  );
});

afterEach(async () => {
  await rig.stop();
  await rig.close();
});

/** A revision of a new deployment, named as its branch is. */
async function create(workspaceId: string, name: string): Promise<string> {
  rig.world.now += 1;
  const { revision } = await rig.owner.deployments.create(workspaceId, {
    name,
    source: "github",
    source_config: { repo_url: "https://example.com/repo.git", deployment_type: "dev" },
    config: { repo_ref: name, langgraph_config_path: "graph.json" },
    secrets: [],
  });
  return revision.id;
}

/** Builds of a workspace that never end. */
async function longBuilds(workspaceId: string, count: number, word = "long"): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const name = `${word}-${workspaceId.slice(-4)}-${at}`;
    rig.world.faults.set(name, "hang");
    ids.push(await create(workspaceId, name));
  }
  return ids;
}

const inStatus = async (ids: string[], status: string) =>
  (await Promise.all(ids.map((id) => rig.status(id)))).filter((one) => one === status).length;

test("long builds of one workspace leave room for another workspace", async () => {
  rig.world.workspaceConcurrency = CONCURRENCY - 1;
  await rig.begin();
  const long = await longBuilds(HERE, 6);
  await rig.until("its builds to begin", async () => (await inStatus(long, "BUILDING")) > 0);
  const other = await create(ELSEWHERE, "other");
  await rig.until("the other's revision to serve", async () => (await rig.status(other)) === "DEPLOYED");
  expect(await inStatus(long, "BUILDING")).toBe(CONCURRENCY - 1);
  expect(await inStatus(long, "AWAITING_BUILD")).toBe(6 - (CONCURRENCY - 1));
});

test("of workspaces that wait, the one with fewer builds is next, however long others wait", async () => {
  await rig.begin();
  const long = await longBuilds(HERE, CONCURRENCY);
  await rig.until("all room to be taken", async () => (await inStatus(long, "BUILDING")) === CONCURRENCY);
  const more = await longBuilds(HERE, 3, "more");
  const other = await longBuilds(ELSEWHERE, 1);
  const waiting = [...more, ...other];
  await rig.until("all others to wait", async () => (await inStatus(waiting, "AWAITING_BUILD")) === 4);
  const first = await rig.revision(long[0] ?? "");
  if (first) await rig.interrupt(first);
  await rig.until("one to have its turn", async () => (await inStatus(waiting, "AWAITING_BUILD")) < 4);
  expect(await inStatus(other, "BUILDING")).toBe(1);
});

test("a workspace without a build comes before one that waits longer and has some", async () => {
  rig.world.workspaceConcurrency = 1;
  await rig.begin();
  const long = await longBuilds(HERE, 3);
  await rig.until("one to begin", async () => (await inStatus(long, "BUILDING")) === 1);
  const other = await create(ELSEWHERE, "other");
  await rig.until("the other's revision to serve", async () => (await rig.status(other)) === "DEPLOYED");
  expect(await inStatus(long, "BUILDING")).toBe(1);
});
