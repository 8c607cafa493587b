import type {
  Assistant,
  Clock,
  Cron,
  CronFilter,
  CronSearch,
  GroupedPage,
  NewCron,
  Crons as StoredCrons,
} from "@berth/store";
import { checkSchedule, type Schedule, tickAfter } from "./schedule.ts";

type CronsDeps = {
  crons: StoredCrons;
  clock: Clock;
  /** @throws NotFound no such assistant or graph */
  assistant: (given: string) => Promise<Assistant>;
  /** @throws Invalid no webhook may have this address */
  checkWebhook?: ((webhook: string) => Promise<void>) | undefined;
};

/** A cron as somebody asks for it; `assistant_id` may be the name of a graph. */
export type CronRequest = Omit<NewCron, "next_run_at">;

/** What changes of a cron: absent fields stay. */
type CronChange = Partial<
  Pick<Cron, "schedule" | "timezone" | "end_time" | "enabled" | "on_run_completed">
> & {
  /** Merged one level deep. */
  metadata?: Cron["metadata"];
  /** Replaces these parts of the payload; undefined takes one away. */
  payload?: Record<string, unknown>;
};

/** Crons as the HTTP areas use them. When they fire is the scheduler's. */
export class CronService {
  constructor(private readonly deps: CronsDeps) {}

  /**
   * @throws NotFound no such assistant, graph or thread
   * @throws Invalid the schedule or the time zone cannot be read
   */
  async create(request: CronRequest): Promise<Cron> {
    const now = this.deps.clock.now();
    checkSchedule(request, now);
    await this.#checkWebhook(request.payload);
    const { assistant_id } = await this.deps.assistant(request.assistant_id);
    const cron = { ...request, assistant_id };
    return this.deps.crons.create({ ...cron, next_run_at: nextTick(cron, now) });
  }

  /** @throws NotFound */
  get(cronId: string): Promise<Cron> {
    return this.deps.crons.get(cronId);
  }

  /**
   * @throws NotFound
   * @throws Invalid the new schedule or time zone cannot be read
   */
  async change(cronId: string, { metadata, payload, on_run_completed, ...times }: CronChange): Promise<Cron> {
    checkSchedule(times, this.deps.clock.now());
    await this.#checkWebhook(payload);
    return this.deps.crons.change(cronId, (cron, now) => {
      const changed = {
        ...cron,
        ...times,
        on_run_completed: cron.thread_id === null ? (on_run_completed ?? cron.on_run_completed) : null,
        metadata: { ...cron.metadata, ...metadata },
        payload: { ...cron.payload, ...payload },
      };
      return { ...changed, next_run_at: nextTickOf(changed, cron, now) };
    });
  }

  /** @throws NotFound */
  delete(cronId: string): Promise<void> {
    return this.deps.crons.delete(cronId);
  }

  async #checkWebhook(payload: Record<string, unknown> | undefined): Promise<void> {
    if (typeof payload?.webhook === "string") await this.deps.checkWebhook?.(payload.webhook);
  }

  /** One page of the matching crons, some at a time, and how many match in all. */
  search(search: CronSearch): Promise<GroupedPage<Cron>> {
    return this.deps.crons.searchInGroups(search);
  }

  count(filter: CronFilter): Promise<number> {
    return this.deps.crons.count(filter);
  }
}

type Times = Schedule & Pick<Cron, "enabled" | "end_time">;

/** When a cron fires next, behind a moment; null for never. */
export function nextTick(cron: Times, moment: number): number | null {
  return cron.enabled ? within(cron, tickAfter(cron, moment)) : null;
}

/** A tick that is due already is not lost when something else of the cron changes. */
function nextTickOf(cron: Times, before: Cron, now: number): number | null {
  const sameTicks =
    before.enabled === cron.enabled &&
    before.schedule === cron.schedule &&
    before.timezone === cron.timezone &&
    before.next_run_at !== null;
  return sameTicks ? within(cron, before.next_run_at) : nextTick(cron, now);
}

function within({ end_time }: Pick<Cron, "end_time">, tick: number | null): number | null {
  return tick !== null && end_time !== null && tick > end_time ? null : tick;
}
