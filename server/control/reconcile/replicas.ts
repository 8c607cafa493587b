import type { Instance } from "@berth/store";
import { figure } from "../run/index.ts";
import type { Parts } from "./parts.ts";

/** A machine has only so many cores; each instance of a deployment is a whole Berth. */
const MOST_REPLICAS = 16;

/** Has as many instances of a deployment serve side by side as its `min_scale` says. */
export class Replicas {
  /** By revision, whose settings never change. */
  readonly #wanted = new Map<string, number>();

  constructor(private readonly parts: Pick<Parts, "revisions" | "instances">) {}

  /** How many instances of this revision are there at any time; 0: it need not be there while nobody asks. */
  async wanted(revisionId: string): Promise<number> {
    const known = this.#wanted.get(revisionId);
    if (known !== undefined) return known;
    const revision = await this.parts.revisions.find(revisionId);
    const least = figure(revision?.settings.resource_spec ?? null, "min_scale") ?? 0;
    const wanted = Math.min(least, MOST_REPLICAS);
    this.#wanted.set(revisionId, wanted);
    return wanted;
  }

  /** Forgets all but these instances' revisions, and writes down each further instance that is to serve. */
  async complete(live: readonly Instance[]): Promise<void> {
    const revisions = new Set(live.map(({ revision_id }) => revision_id));
    for (const id of this.#wanted.keys()) if (!revisions.has(id)) this.#wanted.delete(id);
    const serving = Map.groupBy(
      live.filter(({ state }) => state === "serving"),
      ({ deployment_id }) => deployment_id,
    );
    for (const instances of serving.values()) await this.#completeOne(instances);
  }

  async #completeOne(instances: readonly Instance[]): Promise<void> {
    const first = instances.find(({ replica }) => replica === 0);
    // In a cluster it is the cluster that has as many pods as are wanted.
    if (!first || first.asleep_since !== null || first.driver === "kubernetes") return;
    const wanted = await this.wanted(first.revision_id);
    if (instances.length >= wanted) return;
    const there = new Set(instances.map(({ replica }) => replica));
    for (let replica = 1; replica < wanted; replica += 1)
      if (!there.has(replica)) await this.parts.instances.addReplica(first, replica);
  }
}
