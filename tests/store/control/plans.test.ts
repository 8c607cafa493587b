import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Database, Figures, Listeners, openDatabase } from "@berth/store";
import { temporaryFolder } from "../every-store.ts";
import { plans } from "../query-plan.ts";
import { type ControlStore, controlStore, HERE } from "./control-store.ts";

const page = { limit: 20, offset: 40 };

describe("by index is looked up, however many there are,", () => {
  const folder = temporaryFolder();
  let db: Database;
  let id: string;
  let revisionId: string;

  beforeAll(async () => {
    db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
    const { deployment, revision } = await controlStore(db).create();
    id = deployment.id;
    revisionId = revision.id;
  });

  afterAll(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const reads: [string, string, (store: ControlStore) => Promise<unknown>][] = [
    ["a page of deployments", "deployments_created", ({ deployments }) => deployments.list(HERE, {}, page)],
    [
      "a name",
      "deployments_created",
      ({ deployments }) => deployments.list(HERE, { nameContains: "a" }, page),
    ],
    ["what serves", "deployments_active", ({ deployments }) => deployments.active()],
    ["what is being deleted", "deployments_deleted", ({ deployments }) => deployments.awaitingDelete()],
    ["a page of revisions", "revisions_number", ({ revisions }) => revisions.list(HERE, id, {}, page)],
    [
      "revisions of a status",
      "revisions_number",
      ({ revisions }) => revisions.list(HERE, id, { statuses: ["DEPLOYED"], remoteReconciled: false }, page),
    ],
    ["what is on its way", "revisions_in_flight", ({ revisions }) => revisions.inFlight()],
    ["the kept builds", "revisions_kept", ({ revisions }) => revisions.keptBuilds(id)],
    ["what runs", "instances_live", ({ instances }) => instances.live()],
    ["the instances", "instances_deployment", ({ instances }) => instances.ofDeployment(id)],
    ["instances to forget", "instances_gone", ({ instances }) => instances.sweep(1)],
    ["what changed", "changes_workspace", ({ changes }) => changes.after(HERE, 5, 10)],
    ["changes to forget", "changes_at", ({ changes }) => changes.sweep()],
    [
      "a page of the log of a revision",
      "revision_logs_revision",
      ({ logs }) =>
        logs.read({ deploymentId: id, revisionId, kind: "build", order: "desc", limit: 5, cursor: "9" }),
    ],
    [
      "a page of the log of a deployment",
      "revision_logs_deployment",
      ({ logs }) => logs.read({ deploymentId: id, kind: "deploy", order: "asc", limit: 5, cursor: "9" }),
    ],
    ["lines to forget", "revision_logs_at", ({ logs }) => logs.sweep()],
    ["an upload", "uploads_path", ({ uploads }) => uploads.at(id, "x").catch(() => {})],
    ["figures", "figures", ({ db: recorded, clock }) => new Figures(recorded, clock).read(id, 5)],
    [
      "listeners",
      "listeners_created",
      ({ db: recorded, clock, box }) => new Listeners(recorded, clock, box).list(HERE, page),
    ],
  ];

  test.each(reads)("%s", async (_, index, read) => {
    const found = await plans(db, (recorded) => read(controlStore(recorded)));
    const lines = found.flat().join("\n");
    expect(lines).toContain(index);
    // To go through an index of nothing but what is looked for, is not to scan.
    expect(lines).not.toMatch(/SCAN (?!\w+ USING INDEX \w+_(active|deleted|in_flight|live)\b)|TEMP B-TREE/);
  });
});
