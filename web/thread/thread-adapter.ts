import {
  FeedAdapter,
  type FeedAdapterOptions,
  isLostConnection,
  PATIENCE_MS,
  type RunSettings,
  type ThreadCommand,
} from "./feed-adapter.ts";
import { record } from "./protocol.ts";
import { WORDS } from "./words.ts";

export type ThreadAdapterOptions = Omit<FeedAdapterOptions, "api" | "feed" | "fetch"> & {
  /** Address of the server, no slash at the end. */
  server: string;
  socket: FeedAdapterOptions["feed"];
  /** Read when a run starts, so that a change needs no new stream. */
  settings: () => RunSettings;
};

const STARTS_A_RUN = new Set(["run.start", "input.respond"]);

/** Talks with Berth's thread app: commands go by HTTP, and what happens comes from the tab's socket. */
export class ThreadAdapter extends FeedAdapter {
  #options: ThreadAdapterOptions;

  constructor(options: ThreadAdapterOptions) {
    const { server, socket } = options;
    super({ ...options, api: `${server}/api`, feed: socket });
    this.#options = options;
  }

  override async send(command: ThreadCommand): ReturnType<FeedAdapter["send"]> {
    if (!STARTS_A_RUN.has(command.method)) return super.send(command);
    // Held back while the server is known to be away: what was never sent cannot run twice.
    await this.#options.socket.connected(PATIENCE_MS);
    try {
      return await super.send(withSettings(command, this.#options.settings()));
    } catch (error) {
      throw isLostConnection(error) ? new Error(WORDS.mayHaveArrived) : error;
    }
  }
}

function withSettings<C extends ThreadCommand>(command: C, settings: RunSettings): C {
  const params = record(command.params);
  const config = record(params.config);
  const configurable = { ...settings.configurable, ...record(config.configurable) };
  const { assistantId, context } = settings;
  const isStart = command.method === "run.start";
  return {
    ...command,
    params: {
      ...params,
      config: { ...config, configurable },
      keep_stopped: true,
      ...(isStart && assistantId ? { assistant_id: assistantId } : {}),
      ...(Object.keys(context).length > 0 ? { context } : {}),
    },
  };
}
