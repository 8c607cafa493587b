import { expect, test } from "bun:test";
import {
  BadRequest,
  Conflict,
  ControlLease,
  createWorkspace,
  DEFAULT_WORKSPACE,
  deleteWorkspace,
  type FigureRow,
  Figures,
  getWorkspace,
  Integrations,
  Keys,
  Listeners,
  NotFound,
  renameWorkspace,
} from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startControlStore, UNKNOWN_ID } from "./control-store.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

everyStore("what the control plane remembers", (open) => {
  const start = () => startControlStore(open);

  test("one process at a time holds the lease", async () => {
    const { db, clock } = await start();
    const dead = new Set<number>();
    const lease = new ControlLease(db, clock, ({ pid }) => !dead.has(pid));
    const holder = (id: string, pid: number, host = "here") => ({ id, pid, host });
    const [a, b, far] = [holder("a", 1), holder("b", 2), holder("c", 1, "there")];
    expect(await lease.take(a)).toBe(true);
    expect(await Promise.all([lease.take(b), lease.take(far)])).toEqual([false, false]);
    expect(await lease.take(a)).toBe(true);
    expect(await lease.renew(b)).toBe(false);
    clock.advance(14_999);
    expect(await lease.take(b)).toBe(false);
    expect(await lease.renew(a)).toBe(true);
    clock.advance(14_999);
    expect(await lease.take(b)).toBe(false);
    dead.add(a.pid);
    // Of a process on another machine nobody here knows whether it is dead.
    expect(await lease.take(far)).toBe(false);
    expect(await lease.take(b)).toBe(true);
    expect(await lease.renew(a)).toBe(false);
    await lease.release(a);
    expect(await lease.renew(b)).toBe(true);
    clock.advance(15_000);
    expect(await lease.take(far)).toBe(true);
    await lease.release(far);
    expect(await lease.take(a)).toBe(true);
    // In a container, the next process has the pid of the one before.
    expect(await lease.take(holder("d", a.pid))).toBe(true);
  });

  test("a lease that ends later than its length was taken before the clock was set back, and is over", async () => {
    const { db, clock } = await start();
    const lease = new ControlLease(db, clock, () => true);
    await lease.take({ id: "a", pid: 1, host: "here" });
    clock.advance(-7_200_000);
    expect(await lease.leader()).toBeUndefined();
    expect(await lease.take({ id: "b", pid: 2, host: "there" })).toBe(true);
    expect((await lease.leader())?.holder).toBe("b");
    // Clocks of two machines may differ a little.
    clock.advance(-2_000);
    expect(await lease.take({ id: "a", pid: 1, host: "here" })).toBe(false);
  });

  test("a lease of a process that is gone is free at once", async () => {
    const { db, clock } = await start();
    const lease = new ControlLease(db, clock);
    const child = Bun.spawn(["true"]);
    await child.exited;
    await lease.take({ id: "gone", host: "here", pid: child.pid });
    expect(await lease.take({ id: "next", host: "here", pid: process.ppid })).toBe(true);
    expect(await lease.take({ id: "late", host: "here", pid: process.pid })).toBe(false);
  });

  test("instances are told apart, and one of a deployment serves", async () => {
    const { instances, create, deploy, clock } = await start();
    const { deployment, revision } = await create();
    const serving = await deploy(revision);
    const wanted = { deployment_id: deployment.id, revision_id: revision.id, driver: "container" } as const;
    clock.advance(1);
    const second = await instances.create(wanted);
    expect(second).toMatchObject({ ...wanted, state: "starting", pid: null, restarts: 0, log_offset: 0 });
    expect(second.token).not.toBe(serving.token);
    expect(await outcome(instances.set(second.id, { state: "serving" }))).toThrow();
    await instances.set(serving.id, { state: "gone", exit: "SIGKILL" });
    const patch = { state: "serving", pid: 7, pid_started: "x", port: 80, restarts: 1 } as const;
    await instances.set(second.id, patch);
    expect(await instances.get(second.id)).toEqual({ ...second, ...patch, updated_at: clock.now() });
    expect((await instances.live()).map(({ id }) => id)).toEqual([second.id]);
    const both = [second.id, serving.id];
    expect((await instances.ofDeployment(deployment.id)).map(({ id }) => id)).toEqual(both);
    await instances.set(UNKNOWN_ID, { pid: 1 });
    await instances.sweep(clock.now());
    expect(await instances.ofDeployment(deployment.id)).toHaveLength(2);
    await instances.sweep(clock.now() + 1);
    expect(await instances.get(serving.id)).toBeUndefined();
  });

  test("figures of the same minute add up", async () => {
    const { db, clock } = await start();
    const figures = new Figures(db, clock);
    const row: FigureRow = {
      deployment_id: UNKNOWN_ID,
      minute: clock.now(),
      requests: 10,
      errors: 1,
      p50_ms: 1.5,
      p95_ms: 20,
      open_streams: 3,
      memory_bytes: null,
    };
    await figures.add([row]);
    await figures.add([
      { ...row, requests: 5, p50_ms: null, p95_ms: 30, open_streams: 1, memory_bytes: 8e9 },
    ]);
    const sum = { ...row, requests: 15, errors: 2, p95_ms: 30, memory_bytes: 8e9 };
    expect(await figures.read(UNKNOWN_ID, 1)).toEqual([sum]);
    clock.advance(MINUTE);
    const next = { ...row, minute: clock.now() };
    await figures.add([next, { ...next, deployment_id: ELSEWHERE }]);
    expect(await figures.read(UNKNOWN_ID, 1)).toEqual([next]);
    expect(await figures.read(UNKNOWN_ID, 2)).toEqual([sum, next]);
    clock.advance(7 * DAY);
    await figures.sweep();
    expect(await figures.read(UNKNOWN_ID, 1e6)).toEqual([next]);
  });

  test("listeners and integrations belong to their workspace", async () => {
    const { db, clock, box } = await start();
    const listeners = new Listeners(db, clock, box);
    const wanted = {
      compute_type: "k8s",
      compute_id: "cluster",
      compute_config: { k8s_namespaces: ["a"] },
    } as const;
    const listener = await listeners.create(HERE, { ...wanted, compute_config: { k8s_namespaces: ["a"] } });
    expect(await listeners.get(HERE, listener.id)).toEqual(listener);
    expect(
      await outcome(listeners.create(HERE, { ...wanted, compute_config: { k8s_namespaces: null } })),
    ).toThrow(new Conflict(`Listener for workspace ID '${HERE}' and compute ID 'cluster' already exists.`));
    await listeners.create(ELSEWHERE, { ...wanted, compute_config: { k8s_namespaces: null } });
    expect(await listeners.list(HERE, { limit: 10, offset: 0 })).toEqual([listener]);
    const gone = new NotFound(`Listener ID ${listener.id} not found.`);
    expect(await outcome(listeners.get(ELSEWHERE, listener.id))).toThrow(gone);
    expect(await outcome(listeners.patch(ELSEWHERE, listener.id, { version: "1" }))).toThrow(gone);
    expect(await outcome(listeners.delete(ELSEWHERE, listener.id))).toThrow(gone);
    const patched = await listeners.patch(HERE, listener.id, { version: "1", compute_config: null });
    expect(patched).toEqual({ ...listener, version: "1", updated_at: clock.now() });
    await listeners.delete(HERE, listener.id);
    expect(await outcome(listeners.get(HERE, listener.id))).toThrow(gone);

    const integrations = new Integrations(db, clock, box);
    const mine = await integrations.create(HERE, { name: "mine", token: "hunter2" });
    const next = await integrations.create(HERE, { name: "next", token: "hunter3" });
    expect([mine.installation_id, next.installation_id]).toEqual([1, 2]);
    expect(await integrations.list(HERE)).toEqual([mine, next]);
    expect(await integrations.list(ELSEWHERE)).toEqual([]);
    expect(await integrations.get(HERE, mine.id)).toEqual(mine);
    expect(await integrations.tokenOf(HERE, mine.id)).toBe("hunter2");
    expect(await outcome(integrations.tokenOf(ELSEWHERE, mine.id))).toThrow(NotFound);
    expect(await outcome(integrations.delete(ELSEWHERE, mine.id))).toThrow(NotFound);
    await integrations.delete(HERE, mine.id);
    expect(await integrations.list(HERE)).toEqual([next]);
  });

  test("workspaces are made, renamed, and deleted once they are empty", async () => {
    const { db, clock, create, deployments } = await start();
    const team = await createWorkspace(db, clock, "team");
    expect(await outcome(createWorkspace(db, clock, "team"))).toThrow(Conflict);
    expect(await outcome(renameWorkspace(db, team.id, "default"))).toThrow(Conflict);
    expect(await outcome(renameWorkspace(db, UNKNOWN_ID, "x"))).toThrow(NotFound);
    expect(await renameWorkspace(db, team.id, "team")).toEqual(team);
    expect(await renameWorkspace(db, team.id, "crew")).toEqual({ ...team, name: "crew" });
    expect(await outcome(deleteWorkspace(db, DEFAULT_WORKSPACE.id))).toThrow(BadRequest);
    expect(await outcome(deleteWorkspace(db, UNKNOWN_ID))).toThrow(NotFound);
    const keys = new Keys(db, clock);
    const { key } = await keys.create(team.id, "laptop", "organization");
    expect((await keys.list(team.id))[0]?.scope).toBe("organization");
    expect(await outcome(deleteWorkspace(db, team.id))).toThrow("The workspace still has API keys");
    await keys.delete(team.id, key.id);
    const { deployment } = await create({}, team.id);
    expect(await outcome(deleteWorkspace(db, team.id))).toThrow("still has deployments");
    await deployments.markDeleted(team.id, deployment.id);
    await deployments.erase(deployment.id);
    await deleteWorkspace(db, team.id);
    expect(await outcome(getWorkspace(db, team.id))).toThrow(NotFound);
  });

  test("changes are forgotten after a week, but not their numbers", async () => {
    const { create, changes, clock } = await start();
    await create();
    clock.advance(7 * DAY);
    await create({ name: "next" });
    const newest = await changes.newest();
    clock.advance(7 * DAY);
    await changes.sweep();
    expect((await changes.after(HERE, 0, 10)).map(({ seq }) => seq)).toEqual([newest - 1, newest]);
  });
});
