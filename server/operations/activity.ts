import {
  ACTIVITY_KINDS,
  Activity,
  type ActivityKind,
  type ActivityMarks,
  type Database,
  Signal,
} from "@berth/store";
import { controlPlane } from "../access/index.ts";
import {
  type Call,
  callOf,
  isAdmitted,
  isOperator,
  type Operation,
  operation,
  sse,
  TooMany,
  workspaceOf,
} from "../http/index.ts";

/** `/v1/activity`: what to ask for again, live. */
export const activityRoutes = (feed: ActivityFeed): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/activity",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Operations",
      summary: "Follow what happens",
      description: `Server-sent events of the workspace, each a hint to read something again: first \`ready\`, then \`traces\`, \`issues\`, \`deliveries\`, \`engine_runs\`, \`subscriptions\`, \`threads\`, \`runs\` and \`keys\`, each at most once a second, and \`system\` at most every five seconds. There is no replay: a client that reconnects reads everything again. At most ${MOST_WATCHERS} clients may listen at once; more get 429.`,
      answers: {
        200: { description: "The hints", mediaType: "text/event-stream" },
        429: "Too many clients listen already",
      },
    },
    async (input) => {
      const watcher = await feed.watch(workspaceOf(input.caller), isOperator(input.caller));
      const { admit } = callOf(input.request);
      return sse(input, (gone) => follow(watcher, gone, admit), { onClose: () => watcher.leave() });
    },
  ),
];

async function* follow(watcher: Watcher, gone: AbortSignal, admit: Call["admit"]): AsyncGenerator<string> {
  yield frame("ready");
  while (!gone.aborted) {
    const news = await watcher.news(gone);
    // Whoever may not ask any more learns nothing more: a key is deleted, a sign-in over.
    if (!(await isAdmitted(admit))) return;
    if (news.length > 0) yield news.map(frame).join("");
  }
}

const frame = (event: string): string =>
  `event: ${event}\ndata: ${JSON.stringify({ at: new Date().toISOString() })}\n\n`;

/** What somebody who watches is told of: a kind of things of the workspace, or the whole system. */
type News = ActivityKind | "system";

/** Somebody who watches a workspace. */
type Watcher = {
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
