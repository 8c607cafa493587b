import { expect, test } from "bun:test";
import type { Change } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { HERE, startControlStore } from "./control-store.ts";

const SECRET = "not-for-followers";

everyStore("changes", (open) => {
  const all = async ({ changes }: Awaited<ReturnType<typeof startControlStore>>) =>
    changes.after(HERE, 0, 100);
  const statesOf = (told: Change[], id: string) =>
    told.filter(({ state }) => state?.id === id).map(({ state }) => state);

  test("keep what it was after each of them, whatever became of it since", async () => {
    const store = await startControlStore(open);
    const { deployments, revisions, clock } = store;
    const { deployment, revision } = await store.create({ secrets: [{ name: "TOKEN", value: SECRET }] });
    await store.deploy(revision);
    clock.advance(1);
    await revisions.restarted(revision.id, "It ended.");
    clock.advance(1);
    const by = { key_id: null, name: "operator" };
    await revisions.redeploy(HERE, deployment.id, revision.id, by);
    const { revision: next } = await deployments.patch(HERE, deployment.id, { always: true });
    await deployments.patch(HERE, deployment.id, { tracked_packages: ["left-pad"] });
    await deployments.markDeleted(HERE, deployment.id);
    await deployments.erase(deployment.id);
    const told = await all(store);
    expect(told.map(({ status, state }) => state?.status ?? status)).toEqual(
      told.map(({ status }) => status),
    );
    const one = { status_message: null, deployed_at: null, deployed_by: null, build_kept: false };
    expect(statesOf(told, revision.id)).toMatchObject([
      { ...one, status: "CREATING" },
      { ...one, status: "AWAITING_DEPLOY", build_kept: true },
      { ...one, status: "DEPLOYING", build_kept: true },
      { status: "DEPLOYED", deployed_at: revision.created_at + 1, status_message: null },
      { status: "DEPLOYED", status_message: "It ended.", deployed_by: null },
      { status: "DEPLOYING", status_message: null, deployed_by: by },
    ]);
    expect(statesOf(told, next?.id ?? "")).toMatchObject([{ status: "CREATING" }, { status: "INTERRUPTED" }]);
    const whole = { name: "agent", secret_names: ["TOKEN"], config: { repo_ref: null } };
    const first = { latest_revision_id: revision.id, latest_revision_status: "CREATING" };
    expect(statesOf(told, deployment.id)).toMatchObject([
      { ...whole, ...first, status: "AWAITING_DATABASE", active_revision_id: null },
      { status: "READY", latest_revision_status: "DEPLOYED", active_revision_id: revision.id },
      { latest_revision_id: next?.id, latest_revision_status: "CREATING", tracked_packages: null },
      { latest_revision_id: next?.id, tracked_packages: ["left-pad"] },
    ]);
    expect(told.at(-1)).toMatchObject({ kind: "deleted", deployment_id: deployment.id, state: null });
  });

  test("keep nothing secret, and nothing of what runs", async () => {
    const store = await startControlStore(open);
    const secrets = [{ name: "TOKEN", value: SECRET }];
    const { deployment, revision } = await store.create({ secrets, source_config: { template: "chat" } });
    await store.deploy(revision);
    await store.revisions.redeploy(HERE, deployment.id, revision.id);
    const row = await store.db.read
      .selectFrom("deployments")
      .select(["secrets", "push_secret"])
      .where("id", "=", deployment.id)
      .executeTakeFirstOrThrow();
    const kept = await store.db.read.selectFrom("changes").selectAll().execute();
    expect(kept.every(({ state }) => state !== null)).toBe(true);
    const text = JSON.stringify(kept);
    for (const secret of [SECRET, row.secrets, row.push_secret]) expect(text).not.toContain(secret);
    const ofRevision = kept.filter(({ kind }) => kind === "revision").map(({ state }) => state);
    for (const name of ["secrets", "settings", "step", "build", "image", "interrupt"])
      expect(ofRevision.join()).not.toContain(`"${name}":`);
  });

  test("of an older Berth have no state", async () => {
    const store = await startControlStore(open);
    await store.create();
    await store.db.write((tx) => tx.updateTable("changes").set({ state: null }).execute());
    const told = await all(store);
    expect(told.map(({ kind, status, state }) => [kind, status, state])).toEqual([
      ["deployment", "AWAITING_DATABASE", null],
      ["revision", "CREATING", null],
    ]);
  });
});
