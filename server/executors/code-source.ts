import { join } from "node:path";
import {
  applyEnvironment,
  Executors,
  monotonicClock,
  type ProjectCode,
  type ProjectOrigin,
  RemoteCode,
  readProjectFile,
} from "@berth/agent";
import { takeEarly } from "../early/index.ts";
import { logger } from "../log/index.ts";
import type { Settings } from "../settings/index.ts";
import { VERSION } from "../version.ts";
import { Home } from "./home.ts";
import { spawnExecutor } from "./spawn.ts";

/** A project that is loaded, and what runs its graphs beside this thread, if anything does. */
export type OpenCode = { code: ProjectCode; executors: Executors | undefined };

/** Where the project that is served comes from: loaded in executors where the settings want them, otherwise here. */
export class CodeSource {
  readonly home: Home;
  #executors: Executors | undefined;
  #open: Promise<OpenCode> | undefined;

  /**
   * @param environment of this process as it is now, and not as it was started with: executors get it
   * @param secrets values that are in no line of the log of an executor
   */
  constructor(
    private readonly origin: ProjectOrigin,
    private readonly settings: Settings,
    private readonly environment: Record<string, string | undefined>,
    secrets: readonly string[] = [],
  ) {
    const { logLevel, logFormat, secretPrefixes, serviceApiKey, gatewayToken, chatToken, telemetry, port } =
      settings;
    const log = { logLevel, logFormat, secretPrefixes, serviceApiKey, gatewayToken, chatToken, telemetry };
    this.home = new Home(log, secrets, { url: `http://127.0.0.1:${port}`, port, ownToken: undefined });
  }

  /** Starts the first executor, where there are any: it takes longer than anything else, and can wait for the rest. */
  prepare(): void {
    const { executors: wanted, control } = this.settings;
    // What was started before the settings were known.
    if (wanted.most === 0 || wanted.kind === "process") takeEarly()?.worker.terminate();
    if (wanted.most === 0) return;
    const { origin, environment, home } = this;
    this.#executors = new Executors({
      spawn: () => spawnExecutor({ kind: wanted.kind, memoryMb: control.limits.memoryMb }, environment, home),
      most: wanted.most,
      hangMs: control.hangSeconds * 1_000,
      clock: monotonicClock,
      opening: { project: origin, types: this.#types() },
      log: (event, fields) => logger("runs").info(event, fields),
    });
    this.#executors.start();
    // Otherwise what is loaded could not know where its own server is.
    if (this.settings.port !== 0) home.begin();
  }

  /**
   * Loads it, once; where this process listens is known by now, as far as it can be.
   * @throws ProjectError
   */
  open(): Promise<OpenCode> {
    this.#open ??= this.#executors ? this.#beside(this.#executors) : this.#here();
    return this.#open;
  }

  /** Ends what was started, where nobody will serve. */
  close(): void {
    this.#executors?.stop();
  }

  async #here(): Promise<OpenCode> {
    const { ownCode, projectAt } = await import("@berth/agent/code");
    const code = await ownCode(await projectAt(this.origin));
    const { cache, limitMs } = this.#types();
    code.project.keepTypes(cache, limitMs);
    return { code, executors: undefined };
  }

  async #beside(executors: Executors): Promise<OpenCode> {
    const { origin, home } = this;
    // What it says of the environment is for this process as well: it may hold the key of a model that we ask.
    if ("path" in origin) await applyEnvironment(await readProjectFile(origin.path), origin);
    home.begin();
    const facts = await executors.opened;
    return { code: new RemoteCode(executors, facts), executors };
  }

  #types() {
    const { dataDir, schemaTimeoutMs } = this.settings;
    return { cache: { folder: join(dataDir, "types"), version: VERSION }, limitMs: schemaTimeoutMs };
  }
}
