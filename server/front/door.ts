import { StartError } from "../exit/index.ts";
import { json, type OpenSocket, socketHandlers } from "../http/index.ts";
import { letOwnCallsIn, type OwnCalls } from "../own-calls/index.ts";
import { isLoopbackHost } from "../reach/index.ts";
import type { Settings } from "../settings/index.ts";

type Server = Bun.Server<OpenSocket>;

/** What answers: the app of `createApp`, which is told where it does. */
type Answering = {
  fetch(request: Request): Response | Promise<Response>;
  server: Server | null;
};

type DoorOptions = {
  /** How much an upload may hold, where it may hold more than any other body. */
  mostUploadBytes: number;
  /** Hears the port as soon as it is known. */
  onListening?: ((port: number) => void) | undefined;
};

type Listener = { server: Server; answerWith(app: Answering): void };

/**
 * Where a process listens. At any free port it does so before the project is loaded, whose graphs are to find the port in
 * their environment; at a certain one when all is ready, for another may have it until then.
 */
export class Door {
  /** Where only the gateway may call. */
  readonly ownCalls: OwnCalls | undefined;
  #listener: Listener | undefined;
  /** Where it listens, or will; 0 where that is not known yet. */
  readonly port: number;

  /** @throws StartError */
  constructor(
    private readonly settings: Pick<Settings, "port" | "host" | "maxBodyBytes" | "gatewayToken">,
    private readonly options: DoorOptions,
  ) {
    // Beyond this machine nobody listens before it is known that there is a key.
    if (settings.port === 0 && isLoopbackHost(settings.host))
      this.#listener = openListener(settings, options);
    const port = this.#listener?.server.port ?? settings.port;
    this.port = port;
    options.onListening?.(port);
    if (settings.gatewayToken !== null) this.ownCalls = letOwnCallsIn(port);
  }

  /**
   * Has an app answer from now on.
   * @throws StartError
   */
  open(app: Answering): Server {
    this.#listener ??= openListener(this.settings, this.options);
    this.#listener.answerWith(app);
    return this.#listener.server;
  }

  async close(): Promise<void> {
    this.ownCalls?.forget();
    await this.#listener?.server.stop(true);
  }
}

/** Whoever comes before the graphs are loaded. */
const notYet = () => json({ detail: "The server is starting" }, 503, { "retry-after": "1" });

/**
 * What answers. Elysia makes an error with it, and keeps that: the next collection of garbage would write down where it
 * came from, and read the source maps of a whole start for it, which takes 40 ms and some MB.
 */
function composed(app: Answering): Answering["fetch"] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return app.fetch;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function openListener(
  settings: Pick<Settings, "port" | "host" | "maxBodyBytes">,
  { mostUploadBytes }: DoorOptions,
): Listener {
  const { port, host, maxBodyBytes } = settings;
  try {
    // Not app.listen: it sets SO_REUSEPORT, and a second process would silently share the port.
    const options = {
      port,
      hostname: host,
      // Bun's own error page shows source code.
      development: false,
      reusePort: false,
      idleTimeout: 60,
      maxRequestBodySize: Math.max(maxBodyBytes, mostUploadBytes) + 1_048_576,
      websocket: socketHandlers(maxBodyBytes),
    } as const;
    const server = Bun.serve({ ...options, fetch: notYet });
    const answerWith = (app: Answering) => {
      server.reload({ ...options, fetch: composed(app) });
      app.server = server;
    };
    return { server, answerWith };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE")
      throw new StartError(`port ${port} on ${host} is in use: choose another with --port`);
    if (code === undefined) throw error;
    throw new StartError(`cannot listen on ${host}, port ${port}: ${code}`);
  }
}
