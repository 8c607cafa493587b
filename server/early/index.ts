/**
 * A thread that loads what every executor needs while this one still reads the command: that takes as long as all else
 * together. It learns of its project, and of the environment that this has, when it is taken.
 */
type EarlyThread = {
  worker: Worker;
  /** Takes what it says from now on, after what it has said. */
  listen(hear: (message: unknown) => void): void;
};

/** Only these run graphs. */
const COMMANDS = new Set(["start", "serve"]);

/** So many times as often as usual a function has run before it is compiled: most of what runs now runs once. */
const WHILE_STARTING = 8;

/** Has functions of this thread run for longer before they are compiled, until {@link compileAsUsual}. */
export const compileLittle = (): void => Bun.unsafe.setJITPolicy(WHILE_STARTING);

/** What runs from now on runs often. */
export const compileAsUsual = (): void => Bun.unsafe.setJITPolicy(1);

let early: EarlyThread | undefined;

/**
 * Starts one where the command will want it, as far as that can be told so soon. A process that will
 * serve compiles little until it does.
 * @param program the module that is this program
 */
export function startEarly(program: string, words: readonly string[]): void {
  if (!COMMANDS.has(words[0] ?? "")) return;
  compileLittle();
  const { BERTH_EXECUTORS, EXECUTORS = "" } = process.env;
  const mayBeWanted = /^(?:[1-9]\d*)?$/.test(BERTH_EXECUTORS || EXECUTORS);
  if (!mayBeWanted || words.includes("--help") || words.includes("-h")) return;
  const worker = new Worker(program);
  // The command may end otherwise.
  unref(worker);
  // Who takes none starts one, and hears why that ends.
  worker.addEventListener("close", () => {
    if (early?.worker === worker) early = undefined;
  });
  const said: unknown[] = [];
  worker.onmessage = ({ data }) => void said.push(data);
  early = {
    worker,
    listen: (hear) => {
      worker.onmessage = ({ data }) => hear(data);
      for (const message of said.splice(0)) hear(message);
    },
  };
}

/** In such a thread: keeps what it is told until somebody listens. What comes before this is called has no hearer. */
export function hearEarly(): (hear: (message: unknown) => void) => void {
  const told: unknown[] = [];
  globalThis.onmessage = ({ data }: MessageEvent) => void told.push(data);
  return (hear) => {
    globalThis.onmessage = ({ data }: MessageEvent) => hear(data);
    for (const message of told.splice(0)) hear(message);
  };
}

/** Whether the process may end although the thread is there; the types are those of browsers. */
const unref = (worker: Worker) => (worker as unknown as Bun.Worker).unref();

/** Gives it away, once. */
export function takeEarly(): EarlyThread | undefined {
  const taken = early;
  early = undefined;
  return taken;
}
