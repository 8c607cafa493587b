import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  BadRequest,
  type Database,
  isBusy,
  mayBecome,
  NotFound,
  openDatabase,
  REVISION_STATUSES,
  type RevisionStatus,
} from "@berth/store";
import fc from "fast-check";
import { temporaryFolder } from "../every-store.ts";
import { type ControlStore, controlStore, HERE } from "./control-store.ts";

const RUNS = process.env.BERTH_LONG === "1" ? 1_000 : 40;

/** What somebody does to the deployment, or to one of its revisions: `at` picks it. */
type Deed =
  | { do: "patch" }
  | { do: "delete" }
  | { do: "note" | "interrupt" | "redeploy" | "activate" | "forget build" | "advance"; at: number }
  | { do: "move"; at: number; to: RevisionStatus; stale?: RevisionStatus | undefined };

const at = fc.nat({ max: 20 });
const status = fc.constantFrom(...REVISION_STATUSES);
const ahead = fc.constantFrom<RevisionStatus>(
  "QUEUED",
  "DEPLOY_FAILED",
  "AWAITING_BUILD",
  "BUILDING",
  "AWAITING_DEPLOY",
  "DEPLOYING",
);
/** The way of a revision with which nothing goes wrong, up to the switch. */
const onward: Partial<Record<RevisionStatus, RevisionStatus>> = {
  CREATING: "QUEUED",
  QUEUED: "AWAITING_BUILD",
  AWAITING_BUILD: "BUILDING",
  BUILDING: "AWAITING_DEPLOY",
  AWAITING_DEPLOY: "DEPLOYING",
};
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Deed>({ do: "patch" }) },
  { weight: 16, arbitrary: fc.record({ do: fc.constant("move" as const), at, to: ahead }) },
  // Blind moves alone hardly ever walk the whole way.
  { weight: 16, arbitrary: fc.record({ do: fc.constant("advance" as const), at }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("activate" as const), at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      at,
      to: status,
      stale: fc.option(status, { nil: undefined }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "note" as const,
        "interrupt" as const,
        "redeploy" as const,
        "forget build" as const,
      ),
      at,
    }),
  },
);
/** Those of one batch are asked for at the same moment. */
const story = fc.record({
  batches: fc.array(fc.array(deed, { minLength: 1, maxLength: 3 }), { minLength: 10, maxLength: 40 }),
  deletedAt: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
});

let db: Database;
const folder = temporaryFolder();

beforeAll(async () => {
  db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
});

afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

test("whatever happens at the same time, the rules of the lifecycle hold", async () => {
  let runs = 0;
  const reached = new Set<RevisionStatus>();
  await fc.assert(
    fc.asyncProperty(story, async ({ batches, deletedAt }) => {
      const store = controlStore(db);
      const { deployment } = await store.create({ name: `agent-${++runs}` });
      const scene = new Scene(store, deployment.id);
      for (const [turn, batch] of batches.entries()) {
        await Promise.all(batch.map((one) => scene.play(one)));
        if (turn === deletedAt) await scene.play({ do: "delete" });
        await scene.check();
      }
      for (const one of scene.passed) reached.add(one);
    }),
    { numRuns: RUNS },
  );
  // The stories are long enough to get somewhere. Where revisions happen to end is left to chance; what they pass is not.
  for (const one of ["DEPLOYED", "DEPLOY_FAILED", "BUILDING", "SKIPPED", "INTERRUPTED"] as const)
    expect(reached).toContain(one);
});

class Scene {
  /** In the order in which they were switched to. */
  readonly #activated: string[] = [];
  /** Every status that a revision had, as the changes tell. */
  readonly passed = new Set<RevisionStatus>();
  #deleted = false;

  constructor(
    private readonly store: ControlStore,
    private readonly id: string,
  ) {}

  async revisions() {
    const rows = await this.store.db.read
      .selectFrom("revisions")
      .select(["id", "number", "status", "deployed_at"])
      .where("deployment_id", "=", this.id)
      .orderBy("number")
      .execute();
    return rows;
  }

  async play(one: Deed): Promise<void> {
    try {
      await this.#play(one);
    } catch (error) {
      const refused = error instanceof BadRequest || (error instanceof NotFound && this.#deleted);
      if (!refused) throw error;
    }
  }

  async #play(one: Deed): Promise<void> {
    const { deployments, revisions } = this.store;
    if (one.do === "delete") {
      this.#deleted = true;
      return deployments.markDeleted(HERE, this.id);
    }
    if (one.do === "patch") {
      await deployments.patch(HERE, this.id, { always: true });
      return;
    }
    const all = await this.revisions();
    const target = all[one.at % all.length];
    if (!target) throw new Error("no revision");
    if (one.do === "move") await this.#move(target.id, one.stale ?? target.status, one.to);
    else if (one.do === "advance") {
      const to = onward[target.status];
      if (to) await this.#move(target.id, target.status, to);
      else if (target.status === "DEPLOYING") await this.#activate(target.id);
    } else if (one.do === "note") await revisions.note(target.id, { about: "something" });
    else if (one.do === "interrupt") await revisions.requestInterrupt(HERE, this.id, target.id);
    else if (one.do === "redeploy") await revisions.redeploy(HERE, this.id, target.id);
    else if (one.do === "forget build") await revisions.buildGone(target.id);
    else await this.#activate(target.id);
  }

  async #activate(revisionId: string): Promise<void> {
    const { instances, revisions } = this.store;
    const wanted = { deployment_id: this.id, revision_id: revisionId, driver: "process" } as const;
    const { id } = await instances.create(wanted);
    if (await revisions.activate(revisionId, id)) this.#activated.push(revisionId);
  }

  async #move(id: string, from: RevisionStatus, to: RevisionStatus): Promise<void> {
    const moving = this.store.revisions.move(id, from, to);
    if (mayBecome(from, to) && !(from === "DEPLOYING" && to === "DEPLOYED")) await moving;
    else await expect(moving).rejects.toThrow();
  }

  async check(): Promise<void> {
    const all = await this.revisions();
    const deployment = await this.store.deployments.find(this.id);
    expect(all.filter(({ status: now }) => isBusy(now)).length).toBeLessThanOrEqual(1);
    expect(deployment?.active_revision_id ?? undefined).toBe(this.#activated.at(-1));
    expect(deployment?.latest_revision_id).toBe(all.at(-1)?.id ?? "");
    for (const one of all) if (one.status === "DEPLOYED") expect(one.deployed_at).not.toBeNull();
    const instances = await this.store.instances.ofDeployment(this.id);
    const serving = instances.filter(({ state }) => state === "serving");
    expect(serving.map(({ revision_id }) => revision_id)).toEqual(this.#activated.slice(-1));
    await this.#checkWays(all.map(({ id }) => id));
  }

  /** Each status that a revision had may follow the one before; the changes tell of all of them, as they were. */
  async #checkWays(ids: string[]): Promise<void> {
    const changes = await this.store.db.read
      .selectFrom("changes")
      .select(["revision_id", "status", "state"])
      .where("deployment_id", "=", this.id)
      .where("kind", "=", "revision")
      .orderBy("seq")
      .execute();
    for (const { revision_id, status: told, state } of changes)
      expect(JSON.parse(state ?? "null")).toMatchObject({ id: revision_id, status: told });
    for (const id of ids) {
      const way = changes
        .filter(({ revision_id }) => revision_id === id)
        .map((one) => one.status as RevisionStatus);
      expect(way[0]).toBe("CREATING");
      for (const [i, to] of way.entries()) {
        this.passed.add(to);
        const from = way[i - 1];
        if (from && !mayBecome(from, to)) throw new Error(`went from ${from} to ${to}`);
      }
    }
  }
}
