import { expect, test } from "bun:test";
import { BadRequest, Conflict, isUploadPath } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { HERE, startControlStore, UNKNOWN_ID } from "./control-store.ts";

const MINUTE = 60_000;
const got = { bytes: 10, sha256: "abc" };

everyStore("uploads", (open) => {
  const start = async () => {
    const store = await startControlStore(open);
    const { deployment } = await store.create({ source: "internal_source", source_config: {} });
    return { ...store, deployment };
  };

  test("are sent once, by the first who comes", async () => {
    const { uploads, deployment, clock } = await start();
    const { id, token, objectPath, expiresAt } = await uploads.issue(HERE, deployment.id);
    expect(expiresAt).toBe(clock.now() + 15 * MINUTE);
    expect(isUploadPath(objectPath)).toBe(true);
    // The name of one that Berth 0.1.0 gave out.
    expect(isUploadPath(`uploads/${deployment.id}/${UNKNOWN_ID}`)).toBe(true);
    for (const other of ["uploads/x/y", `${objectPath}/..`, "registry/image:tag"])
      expect(isUploadPath(other)).toBe(false);
    expect(await uploads.received(id, got)).toBe(false);
    const opened = await Promise.all(Array.from({ length: 10 }, () => uploads.open(token)));
    expect(opened.filter((upload) => upload !== undefined).map((upload) => upload?.id)).toEqual([id]);
    expect(await outcome(uploads.at(deployment.id, objectPath))).toThrow(BadRequest);
    expect(await Promise.all([1, 2, 3].map(() => uploads.received(id, got)))).toEqual([true, false, false]);
    expect(await uploads.at(deployment.id, objectPath)).toMatchObject({ id, ...got, revision_id: null });
    expect(await outcome(uploads.at(UNKNOWN_ID, objectPath))).toThrow(BadRequest);
    expect(await uploads.open("invented")).toBeUndefined();
  });

  test("are not sent too late", async () => {
    const { uploads, deployment, clock } = await start();
    const { token } = await uploads.issue(HERE, deployment.id);
    clock.advance(15 * MINUTE);
    expect(await uploads.open(token)).toBeUndefined();
  });

  test("are bounded while nothing is made from them", async () => {
    const { uploads, deployment, clock } = await start();
    const tickets = await Promise.all(Array.from({ length: 50 }, () => uploads.issue(HERE, deployment.id)));
    expect(new Set(tickets.map(({ token }) => token)).size).toBe(50);
    expect(await outcome(uploads.issue(HERE, deployment.id))).toThrow(Conflict);
    clock.advance(15 * MINUTE);
    await uploads.issue(HERE, deployment.id);
  });

  test.each([
    ["internal_source", "source_tarball_path"],
    ["internal_docker", "image_uri"],
  ] as const)("stay for every revision that is to be made from them: %s by %s", async (source, field) => {
    const { uploads, deployments, create, upload, revisions } = await startControlStore(open);
    const { deployment } = await create({ source, source_config: {} });
    const swept = async () => (await uploads.sweep()).map(({ object_path }) => object_path);
    const change = async (patch: object) =>
      (await deployments.patch(HERE, deployment.id, patch)).revision?.id ?? "";
    const used = await upload(deployment.id);
    const waiting = await change({ config: { [field]: used } });
    expect(await revisions.move(waiting, "CREATING", "AWAITING_BUILD")).toBeDefined();
    // Of the same archive, and skipped by what brings another.
    await change({ secrets: [] });
    await change({ config: { [field]: await upload(deployment.id) } });
    expect(await swept()).toEqual([]);
    await revisions.move(waiting, "AWAITING_BUILD", "INTERRUPTED");
    expect(await swept()).toEqual([used]);
  });

  test("stay as long as something may be made from them", async () => {
    const { uploads, deployments, deployment, upload, clock, revisions } = await start();
    const swept = async () => (await uploads.sweep()).map(({ object_path }) => object_path);
    const patch = async (source_tarball_path: string) => {
      const { revision } = await deployments.patch(HERE, deployment.id, { config: { source_tarball_path } });
      return revision?.id ?? "";
    };
    const used = await upload(deployment.id);
    const unused = await upload(deployment.id);
    const { objectPath: neverSent } = await uploads.issue(HERE, deployment.id);
    const { token, objectPath: halfSent } = await uploads.issue(HERE, deployment.id);
    await uploads.open(token);
    const first = await patch(used);
    await revisions.note(first, { preparing: true });
    expect(await swept()).toEqual([]);
    clock.advance(15 * MINUTE);
    expect(await swept()).toEqual([neverSent]);
    clock.advance(45 * MINUTE);
    expect(await swept()).toEqual([unused, neverSent, halfSent]);
    expect(await outcome(patch(unused))).toThrow(BadRequest);

    const latest = await upload(deployment.id);
    await patch(latest);
    const all = await uploads.sweep();
    expect(all).toHaveLength(3);
    await uploads.forget(all.map(({ id }) => id));
    expect(await swept()).toEqual([]);
    // The first one is still being made from its archive.
    await revisions.move(first, "CREATING", "CREATE_FAILED");
    expect(await swept()).toEqual([used]);
    await deployments.markDeleted(HERE, deployment.id);
    await deployments.erase(deployment.id);
    expect(await swept()).toEqual([used, latest]);
  });
});
