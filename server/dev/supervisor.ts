import type { Subprocess } from "bun";
import { type FromServing, isMessage, type ToServing, WATCHED_OVER } from "./messages.ts";
import { CodeWatch, type Watched } from "./watch.ts";

type SupervisorOptions = {
  /** Starts a serving process, without what it is told over the channel. */
  command: readonly string[];
  /** What is watched until a project has said where its code is. */
  watched: Watched;
  /** For the person at the terminal. */
  say: (line: string) => void;
};

type Child = {
  process: Subprocess;
  /** Resolves when its project is loaded; false when it ended before. */
  loaded: Promise<boolean>;
};

/** One that does not leave by itself is ended: its runs go on when their leases run out. */
const LEAVE_MS = 6_000;

/**
 * Serves a project anew whenever its code changes. The next process loads the project while the one before still
 * serves: code that does not load changes nothing. Then the old one hands its runs back and ends, and the new one
 * takes its port; clients come back to where they were.
 */
export class DevSupervisor {
  readonly #options: SupervisorOptions;
  readonly #watch: CodeWatch;
  #serving: Child | undefined;
  #coming: Child | undefined;
  #port: number | null = null;
  /** Changes are taken one after the other; only the last one counts. */
  #turn: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#watch = new CodeWatch(() => this.#changed());
    this.#watch.add(options.watched);
  }

  /** Begins; the first process is as any later one, but that nothing serves before it. */
  start(): void {
    this.#turn = this.#replace();
  }

  /** Ends what serves as gracefully as it would by itself. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#watch.close();
    this.#coming?.process.kill("SIGKILL");
    // Not SIGTERM, which leaves what is deployed to the next start.
    this.#serving?.process.kill("SIGINT");
    await Promise.all([this.#coming?.process.exited, this.#serving?.process.exited]);
  }

  /** Ends everything at once. */
  kill(): void {
    this.#coming?.process.kill("SIGKILL");
    this.#serving?.process.kill("SIGKILL");
  }

  #changed(): void {
    if (this.#stopping) return;
    // What loads now is out of date already.
    this.#coming?.process.kill("SIGKILL");
    this.#turn = this.#turn.then(() => this.#replace());
  }

  async #replace(): Promise<void> {
    if (this.#stopping) return;
    const again = this.#serving !== undefined;
    if (again) this.#options.say("The project changed: loading it");
    const next = this.#spawn();
    this.#coming = next;
    const loaded = await next.loaded;
    this.#coming = undefined;
    if (this.#stopping) return next.process.kill("SIGKILL");
    if (!loaded) return this.#sayBroken(next);
    await this.#dismiss();
    if (this.#stopping) return next.process.kill("SIGKILL");
    this.#serving = next;
    tell(next, { type: "serve", port: this.#port });
  }

  #sayBroken({ process }: Child): void {
    // One that was overtaken by a newer change has nothing to say.
    if (process.signalCode === "SIGKILL") return;
    this.#options.say(
      this.#serving
        ? "The project does not load: serving it as it was until it does"
        : "The project does not load: waiting for a change",
    );
  }

  async #dismiss(): Promise<void> {
    const old = this.#serving;
    this.#serving = undefined;
    if (!old || old.process.exitCode !== null) return;
    tell(old, { type: "leave" });
    const late = setTimeout(() => old.process.kill("SIGKILL"), LEAVE_MS);
    await old.process.exited;
    clearTimeout(late);
  }

  #spawn(): Child {
    const { promise: loaded, resolve } = Promise.withResolvers<boolean>();
    const hear = (message: FromServing) => {
      if (message.type === "ready") this.#port = message.port;
      if (message.type !== "loaded") return;
      this.#watch.add(message);
      resolve(true);
    };
    const child = Bun.spawn([...this.#options.command], {
      env: { ...process.env, [WATCHED_OVER]: "1" },
      stdio: ["ignore", "inherit", "inherit"],
      // A session of its own: Ctrl-C is for the one who watches, and it tells the others.
      detached: true,
      serialization: "json",
      ipc: (message: unknown) => {
        if (isMessage(message)) hear(message);
      },
    });
    void child.exited.then(() => {
      resolve(false);
      this.#ended(child);
    });
    return { process: child, loaded };
  }

  /** One that ends unasked took the server with it. */
  #ended(child: Subprocess): void {
    if (this.#stopping || this.#serving?.process !== child) return;
    this.#serving = undefined;
    this.#options.say("The server ended: waiting for a change");
  }
}

function tell({ process }: Child, message: ToServing): void {
  process.send(message);
}
