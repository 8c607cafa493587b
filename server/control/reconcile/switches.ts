import { type Instance, type Revision, Serial } from "@berth/store";
import type { Parts } from "./parts.ts";

/** The revision is interrupted, or its deployment deleted: whoever sees to that moves it. */
export class NotWanted extends Error {}

/**
 * Which instance of a deployment serves, and which one starts its runs. Of what is told to the instances of one
 * deployment, each thing waits for the one before: a late word would have two of them start runs.
 */
export class Switches {
  /** What is told, by deployment. */
  readonly #told = new Serial();
  /**
   * Who has confirmed that it starts runs: the token of its start, by instance. A word that comes late, from what has
   * ended since, says nothing of what was started in its place.
   */
  readonly #claiming = new Map<string, string>();

  constructor(private readonly parts: Parts) {}

  /**
   * Has a ready instance serve in place of the one before, which starts no run from then on.
   * @throws NotWanted
   */
  async to(revision: Revision, instance: Instance): Promise<void> {
    await this.#told.run(revision.deployment_id, () => this.#switch(revision, instance));
    await this.haveClaim(instance);
  }

  async #switch({ id, deployment_id }: Revision, instance: Instance): Promise<void> {
    const { instances, revisions, probe, traffic, logger } = this.parts;
    const before = (await instances.ofDeployment(deployment_id)).filter(({ state }) => state === "serving");
    for (const old of before) this.#claiming.delete(old.id);
    await Promise.all(before.map((old) => probe.claim(old, false)));
    if (!(await revisions.activate(id, instance.id)))
      throw new NotWanted("the revision is not being deployed any more");
    traffic.switched(deployment_id);
    logger.info("revision.serves", { deployment: deployment_id, revision: id });
  }

  /** Has a serving instance start runs, unless it confirmed that it does; to be asked again and again. */
  async haveClaim({ id, deployment_id, token }: Instance): Promise<void> {
    if (this.#claiming.get(id) === token) return;
    await this.#told.run(deployment_id, async () => {
      const instance = await this.parts.instances.get(id);
      if (instance?.state !== "serving" || this.#claiming.get(id) === instance.token) return;
      if (!(await this.parts.probe.claim(instance, true))) return;
      this.#claiming.set(id, instance.token);
      await this.#noteAuth(instance);
    });
  }

  /** It may have been started by another Berth, which did not ask, or by a newer one than this process is of. */
  async #noteAuth({ id, deployment_id, own_auth }: Instance): Promise<void> {
    const { instances, probe, traffic } = this.parts;
    const instance = await instances.get(id);
    const hasOwnAuth = instance && (await probe.hasOwnAuth(instance));
    const now = hasOwnAuth === undefined ? own_auth : Number(hasOwnAuth);
    if (now === own_auth) return;
    await instances.set(id, { own_auth: now });
    traffic.switched(deployment_id);
  }

  /** It is another process from now on, or none. */
  forget(instanceId: string): void {
    this.#claiming.delete(instanceId);
  }
}
