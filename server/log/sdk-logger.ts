import { format, inspect } from "node:util";
import { printedFacts } from "@berth/agent/print";
import { masked } from "@berth/store/mask";
import { logger } from "./log.ts";

const LOGGER_NAME = Symbol.for("langgraph.api.sdk-logger");
/** Where LangChain keeps what a node, a tool or a model was called with; the same for every copy of it. */
const STORAGE_NAME = Symbol.for("ls:tracing_async_local_storage");
const CONFIG_NAME = Symbol.for("lc:child_config");

const MOST_CHARS = 8_192;

/** The methods that projects call, and how serious each is here. */
const LEVELS = {
  error: "error",
  warn: "warning",
  help: "info",
  data: "info",
  info: "info",
  prompt: "info",
  http: "info",
  input: "info",
  debug: "debug",
  verbose: "debug",
  silly: "trace",
} as const;

type Method = keyof typeof LEVELS;
type Fields = Record<string, unknown>;

/** One line of a project: its level, its text, and whatever it says beside. */
type SaidLine = { level: (typeof LEVELS)[Method]; text: string; fields: Fields };

type SdkLogger = Record<Method, (...said: unknown[]) => SdkLogger>;

/**
 * Registers what `getLogger()` of `@langchain/langgraph-sdk/logging` gives to projects (`agent-server.md` §24). Without it
 * that call throws, at the top level of a module too; so this comes before anything of a project is loaded.
 * @param write where the lines go; Berth's own log when absent
 */
export function provideSdkLogger(write: (line: SaidLine) => void = toLog): void {
  const made = {} as SdkLogger;
  for (const [method, level] of Object.entries(LEVELS)) {
    made[method as Method] = (...said) => {
      write({ level, ...read(said) });
      return made;
    };
  }
  Object.assign(globalThis, { [LOGGER_NAME]: made });
}

function toLog({ level, text, fields }: SaidLine): void {
  // As a template: in a plain message, braces would stand for fields.
  logger("graph").with({ ...fields, ...callerOf() })[level]`${text}`;
}

/** A message with whatever follows it, or one object that has the message in it. */
function read([first, ...rest]: unknown[]): Omit<SaidLine, "level"> {
  const whole = isFields(first) && !(first instanceof Error) ? first : undefined;
  const { message, ...beside } = whole ?? { message: first };
  const text = typeof message === "string" ? message : textOf(message);
  const fields = Object.assign(
    {},
    beside,
    ...rest.map((one, at) => (isFields(one) ? own(one) : { [at]: one })),
  );
  return { text: cut(text), fields: printable(fields) };
}

const own = (value: Fields): Fields => (value instanceof Error ? { error: value } : value);

function textOf(message: unknown): string {
  if (message instanceof Error) return message.stack ?? message.message;
  return message === undefined ? "" : inspect(message, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
}

// What a line of the log says itself.
const TAKEN = new Set(["time", "level", "area", "message"]);

/** Fields that a line of JSON can hold, and no more of them than one can read. */
function printable(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([name, value]) => !TAKEN.has(name) && value !== undefined);
  const shown = entries.map(([name, value]) => [name, value instanceof Error ? value : simple(value)]);
  return Object.fromEntries(shown);
}

function simple(value: unknown): unknown {
  try {
    const json = JSON.stringify(value);
    if (json === undefined) return inspect(value);
    return json.length <= MOST_CHARS ? value : cut(json);
  } catch {
    // A circle, or a number that JSON does not have.
    return cut(inspect(value, { depth: 3 }));
  }
}

const cut = (text: string): string => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);

/** Which run and graph a line comes from, and which node; nothing outside of a run. */
function callerOf(): Fields {
  const storage = Reflect.get(globalThis, STORAGE_NAME) as { getStore(): unknown } | undefined;
  const store = storage?.getStore() as { extra?: Record<symbol, unknown> } | undefined;
  const config = store?.extra?.[CONFIG_NAME] as { configurable?: Fields; metadata?: Fields } | undefined;
  if (!config) return {};
  const { run_id, graph_id, thread_id } = { ...config.metadata, ...config.configurable };
  const caller = { run: run_id, thread: thread_id, graph: graph_id, node: config.metadata?.langgraph_node };
  return Object.fromEntries(Object.entries(caller).filter(([, value]) => typeof value === "string"));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The methods of the console, and the level of each in the log. */
const CONSOLE_LEVELS = {
  error: "error",
  warn: "warning",
  log: "info",
  info: "info",
  debug: "debug",
} as const;

type ConsoleMethod = keyof typeof CONSOLE_LEVELS;

/** Those that say how serious something is. */
const SERIOUS: readonly ConsoleMethod[] = ["error", "warn"];

/**
 * Gives what a project's graphs print with the console its level, as a line of the log with the run that said it. For a
 * process whose output somebody reads into a log: on a terminal people see what was printed.
 * @param all whether every line is one of the log; else only what is an error or a warning
 * @param write takes a whole line at once, so that it stays in order with what is printed beside it
 */
export function levelConsole(all: boolean, write = (line: string) => void process.stdout.write(line)): void {
  for (const method of all ? (Object.keys(CONSOLE_LEVELS) as ConsoleMethod[]) : SERIOUS)
    console[method] = (...said: unknown[]) => {
      const line = {
        ...{ time: new Date().toISOString(), level: CONSOLE_LEVELS[method], area: "graph" },
        message: format(...said),
      };
      write(`${masked(JSON.stringify({ ...line, ...callerOf(), ...printedFacts() }))}\n`);
    };
}
