import type { Instance } from "@berth/store";
import { AWAKE, LATE_NEWS_MS, NOWHERE } from "./instances.ts";
import { driverFor, type InstanceRest, type Parts } from "./parts.ts";
import type { Replicas } from "./replicas.ts";
import { tell } from "./revision-log.ts";
import type { Switches } from "./switches.ts";

/** An instance is asked at most so often whether it has something to do. */
const ASK_EVERY_MS = 15_000;
/** Who has something to do before then, or before it would sleep so many times over, stays up. */
const WORTH_MS = 60_000;
const WORTH_TIMES = 4;
/** It starts so long before it has something to do: a tick of a cron is not to be late. */
const LEAD_MS = 3_000;
/** Of deployments that serve at any time without a start before. */
const ALWAYS_UP: ReadonlySet<string | null> = new Set(["prod", "dedicated"]);

/** Ends instances that nobody has asked for anything for long, until somebody does. */
export class Sleep {
  readonly #asked = new Map<string, number>();

  constructor(
    private readonly parts: Parts,
    private readonly switches: Switches,
    private readonly replicas: Pick<Replicas, "wanted">,
  ) {}

  /** Forgets all but these instances. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#asked.keys()) if (!ids.has(id)) this.#asked.delete(id);
  }

  /** Whether it is time to ask an instance whether it may sleep. What is in a container need not be a Berth. */
  isTime({ id, driver }: Instance): boolean {
    const { timing, settings } = this.parts;
    if (settings.sleepMs === 0 || driver !== "process") return false;
    const now = timing.now();
    const since = now - (this.#asked.get(id) ?? 0);
    if (since >= 0 && since < Math.min(ASK_EVERY_MS, settings.sleepMs / 4)) return false;
    this.#asked.set(id, now);
    return true;
  }

  /**
   * Has an instance sleep, if nobody has asked for it for long and it has nothing to do.
   * @returns whether it sleeps
   */
  async tryIt(instance: Instance, signal: AbortSignal): Promise<boolean> {
    const { parts } = this;
    const deployment = await parts.deployments.find(instance.deployment_id);
    if (!deployment || ALWAYS_UP.has(deployment.source_config.deployment_type)) return false;
    if ((await this.replicas.wanted(instance.revision_id)) > 0) return false;
    if (!(await this.#restOf(instance))) return false;
    // Whoever comes from here on waits, or is answered by the process that is still there.
    this.switches.forget(instance.id);
    await parts.probe.claim(instance, false);
    const rest = await this.#restOf(instance);
    if (!rest) return false;
    const now = parts.timing.now();
    const wake_at = rest.next_at === null ? null : rest.next_at - LEAD_MS;
    await parts.instances.set(instance.id, { port: null, asleep_since: now, wake_at });
    parts.traffic.switched(instance.deployment_id);
    await parts.timing.pause(LATE_NEWS_MS, signal);
    if (signal.aborted || !(await this.#restOf(instance)) || (await this.#isWanted(instance))) {
      await this.#stayUp(instance);
      return false;
    }
    await this.end(instance);
    const minutes = parts.settings.sleepMs / 60_000;
    await this.#tell(instance, `It sleeps: nobody has asked for it for ${minutes} minutes`);
    return true;
  }

  /** Whether a sleeping instance has something to do, or somebody wants it. */
  isDue({ wake_at }: Instance): boolean {
    return wake_at !== null && wake_at <= this.parts.timing.now();
  }

  /** What it has to do next, while it may sleep; undefined where it may not. */
  async #restOf(instance: Instance): Promise<InstanceRest | undefined> {
    const { probe, settings, timing, traffic } = this.parts;
    const rest = await probe.rest(instance);
    if (!rest || rest.busy || traffic.inFlight(instance.id) > 0) return undefined;
    const now = timing.now();
    const isLong = (rest.idle_ms ?? now - rest.last_request_at) >= settings.sleepMs;
    const isWorth =
      rest.next_at === null || rest.next_at - now >= Math.min(WORTH_MS, settings.sleepMs * WORTH_TIMES);
    return isLong && isWorth ? rest : undefined;
  }

  async #isWanted({ id }: Instance): Promise<boolean> {
    const latest = await this.parts.instances.get(id);
    return latest === undefined || this.isDue(latest);
  }

  async #stayUp({ id, port, deployment_id }: Instance): Promise<void> {
    await this.parts.instances.set(id, { ...AWAKE, port });
    this.parts.traffic.switched(deployment_id);
  }

  /** Ends its process; also where Berth ended while it fell asleep. */
  async end(instance: Instance): Promise<void> {
    const { parts } = this;
    await driverFor(parts, instance).stop(instance, parts.settings.stopGraceMs);
    await parts.readLog(instance);
    await parts.instances.set(instance.id, NOWHERE);
  }

  async #tell({ revision_id, deployment_id }: Instance, message: string): Promise<void> {
    const { log, timing } = this.parts;
    await tell({ log, now: timing.now }, { id: revision_id, deployment_id }, "deploy", message);
  }
}
