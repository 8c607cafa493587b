import { expect } from "bun:test";
import { Refused } from "../crash-http.ts";
import { type Deployment, DeploymentApi } from "../deployment-api.ts";
import { tinyAgent } from "../tiny-agent.ts";
import { survived } from "./chaos-load.ts";

/**
 * A Berth that dies takes its deployments along; another one leads 15 s later and builds again, and may die, too: on a busy
 * machine, several times before it has built.
 */
const SETTLED_MS = 900_000;
const LOOK_MS = 250;
/** So many revisions a deployment gets before it is deleted. */
const REVISIONS = 2;

const UNDER_WAY = new Set([
  "CREATING",
  "QUEUED",
  "AWAITING_BUILD",
  "BUILDING",
  "AWAITING_DEPLOY",
  "DEPLOYING",
]);

export type DeployFigures = { deployments: number; revisions: number; failed: number; deleted: number };

/** What was acknowledged of one deployment. */
type Acknowledged = { id: string; revisions: string[] };

/** Deploys a project, deploys it anew and deletes it, again and again and across all rounds, whatever breaks. */
export class Deployer {
  readonly figures: DeployFigures = { deployments: 0, revisions: 0, failed: 0, deleted: 0 };
  readonly #api: DeploymentApi;
  readonly #living: Promise<void>;
  #failure: unknown;
  #stopped = false;

  constructor(url: string, key: string) {
    this.#api = new DeploymentApi(() => url, key);
    this.#living = this.#live();
    this.#living.catch((error) => {
      this.#failure = error;
    });
  }

  /** @throws what was lost until now */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Ends the present deployment's life, then begins no more. @throws what was lost */
  async stop(): Promise<DeployFigures> {
    this.#stopped = true;
    await this.#living;
    return this.figures;
  }

  async #live(): Promise<void> {
    while (!this.#stopped) await this.#oneLife();
  }

  async #oneLife(): Promise<void> {
    // Nobody knows what became of one whose creation was not acknowledged.
    const { id } = await survived(() => this.#api.fromSource(`chaos-${crypto.randomUUID().slice(0, 8)}`));
    this.figures.deployments += 1;
    const one: Acknowledged = { id, revisions: [] };
    for (let turn = 1; turn <= REVISIONS; turn += 1) await this.#revise(one, `${id} ${turn}`);
    await survived(() => this.#api.delete(id).catch(unlessGone));
    await this.#until("it to be gone", () =>
      this.#api.deployment(id).then(
        () => false,
        (error) => {
          unlessGone(error);
          return true;
        },
      ),
    );
    this.figures.deleted += 1;
  }

  /** One more revision, which comes to its end. */
  async #revise(one: Acknowledged, answer: string): Promise<void> {
    const files = await tinyAgent(answer);
    const revision = await survived(() => this.#api.push(one.id, files));
    one.revisions.push(revision);
    this.figures.revisions += 1;
    let status = "";
    await this.#until(`revision ${revision} to come to its end`, async () => {
      const now = await this.#api.revision(one.id, revision);
      ({ status } = now);
      if (UNDER_WAY.has(status)) return false;
      if (status !== "DEPLOYED") expect([status, now.status_message]).toEqual([status, expect.any(String)]);
      return true;
    });
    await this.#nothingLost(one);
    if (status !== "DEPLOYED") this.figures.failed += 1;
    else await this.#answers(one.id, revision, answer);
  }

  /** What serves says what was deployed; another revision, which was not acknowledged, may be behind it. */
  async #answers(id: string, revision: string, answer: string): Promise<void> {
    await this.#until("it to answer", async () => {
      const { active_revision_id }: Deployment = await this.#api.deployment(id);
      if (active_revision_id !== revision) return true;
      const { said } = await this.#api.answer(id);
      const after = await this.#api.deployment(id);
      if (after.active_revision_id === revision) expect(said).toBe(answer);
      return true;
    });
  }

  async #nothingLost({ id, revisions }: Acknowledged): Promise<void> {
    const path = `/v2/deployments/${id}/revisions?limit=100`;
    const { resources } = await survived(() => this.#api.ask<{ resources: { id: string }[] }>("GET", path));
    expect(resources.map((one) => one.id)).toEqual(expect.arrayContaining(revisions));
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const limit = performance.now() + SETTLED_MS;
    while (!(await survived(holds, limit))) {
      if (performance.now() > limit) throw new Error(`still waiting for ${what}`);
      await Bun.sleep(LOOK_MS);
    }
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Refused) || error.status !== 404) throw error;
}
