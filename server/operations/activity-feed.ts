import {
  ACTIVITY_KINDS,
  Activity,
  type ActivityKind,
  type ActivityMarks,
  type Database,
  Signal,
} from "@berth/store";
import { TooMany } from "../http/index.ts";

/** What somebody who watches is told of: a kind of things of the workspace, or the whole system. */
export type News = ActivityKind | "system";

/** Somebody who watches a workspace. */
export type Watcher = {
  /** What is new since the last call; waits until something is, or until it is time to look who still may ask. */
  news(gone: AbortSignal): Promise<News[]>;
  leave(): void;
};

export const MOST_WATCHERS = 500;
const TRY_AGAIN_S = 10;
/** The system's own figures change all the time: those who watch them ask again that many looks later. */
const SYSTEM_EVERY = 5;

type Waiting = { workspaceId: string; seesSystem: boolean; news: Set<News>; told: Signal };

/** One look a second for all who watch, however many they are; whichever process on this database did something. */
export class ActivityFeed {
  readonly #activity: Activity;
  readonly #waiting = new Set<Waiting>();
  readonly #marks = new Map<string, ActivityMarks>();
  #systemMark: string | undefined;
  #looks = 0;

  constructor(db: Database) {
    this.#activity = new Activity(db);
  }

  /**
   * Watches a workspace: what happens from the moment on at which this resolves is told.
   * @throws TooMany
   */
  async watch(workspaceId: string, seesSystem: boolean): Promise<Watcher> {
    if (this.#waiting.size >= MOST_WATCHERS) throw new TooMany(TRY_AGAIN_S);
    const one: Waiting = { workspaceId, seesSystem, news: new Set(), told: new Signal() };
    this.#waiting.add(one);
    try {
      if (!this.#marks.has(workspaceId))
        this.#marks.set(workspaceId, await this.#activity.marks(workspaceId));
      this.#systemMark ??= await this.#activity.systemMark();
    } catch (error) {
      this.#waiting.delete(one);
      throw error;
    }
    return { news: (gone) => take(one, gone), leave: () => this.#waiting.delete(one) };
  }

  /** A job of the timer loop: costs nothing while nobody watches. */
  async once(): Promise<void> {
    if (this.#waiting.size === 0) {
      this.#marks.clear();
      this.#systemMark = undefined;
      return;
    }
    this.#looks += 1;
    const isSystemTurn = this.#looks % SYSTEM_EVERY === 0;
    const watched = Map.groupBy(this.#waiting, ({ workspaceId }) => workspaceId);
    for (const id of this.#marks.keys()) if (!watched.has(id)) this.#marks.delete(id);
    for (const [id, watchers] of watched) tell(watchers, await this.#changed(id));
    if (!isSystemTurn) return;
    const operators = [...this.#waiting].filter(({ seesSystem }) => seesSystem);
    if (operators.length > 0 && (await this.#systemChanged())) tell(operators, ["system"]);
    // Also those who have no news: whoever may not ask any more is sent away.
    for (const { told } of this.#waiting) told.give();
  }

  async #changed(workspaceId: string): Promise<News[]> {
    const before = this.#marks.get(workspaceId);
    const marks = await this.#activity.marks(workspaceId);
    this.#marks.set(workspaceId, marks);
    return before === undefined ? [] : ACTIVITY_KINDS.filter((kind) => marks[kind] !== before[kind]);
  }

  async #systemChanged(): Promise<boolean> {
    const before = this.#systemMark;
    this.#systemMark = await this.#activity.systemMark();
    return before !== undefined && before !== this.#systemMark;
  }
}

function tell(watchers: Iterable<Waiting>, news: readonly News[]): void {
  if (news.length === 0) return;
  for (const one of watchers) {
    for (const kind of news) one.news.add(kind);
    one.told.give();
  }
}

async function take(one: Waiting, gone: AbortSignal): Promise<News[]> {
  if (one.news.size === 0) await one.told.wait({ abort: gone });
  const news = [...one.news];
  one.news.clear();
  return news;
}
