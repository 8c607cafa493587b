import {
  type Assistants,
  boundWords,
  type Database,
  Denied,
  Fault,
  findThread,
  passedBound,
  type Serial,
  type Thread,
  Unauthenticated,
  Unavailable,
} from "@berth/store";
import { AuthRefusal } from "../auth.ts";
import type { ServedProject } from "../project/index.ts";
import type { EventView, ThreadEvents } from "../protocol/index.ts";
import { isRecord } from "../record.ts";
import type { Runs } from "../runs/index.ts";
import type { ThreadChanges, ThreadStates } from "../threads/index.ts";

/** What commands work on. */
export type CommandDeps = {
  db: Database;
  project: ServedProject;
  assistants: Assistants;
  states: ThreadStates;
  changes: ThreadChanges;
  runs: Runs;
  events: ThreadEvents;
  turns: Serial;
};

/**
 * How a command came in. The app has one conversation and takes any assistant's name for the thread's own; the
 * Agent Server wants to be told which.
 */
export type CommandContext = {
  door: "app" | "agent";
  /** Request headers that graphs may read, by name. */
  headers: CommandValues;
  /** Says whether the caller may do it, where not everybody may. */
  permit?: CommandPermit | undefined;
  /** Whether the sender may see the thread, where not every caller may; true for a missing thread. */
  mayRead?: (() => Promise<boolean>) | undefined;
  /** How the sender gets events on its socket, where that is not as they are. */
  view?: EventView | undefined;
};

/** The params that a command is to have, and the id of the run that it starts, if it starts one. */
type Permitted = { params: CommandValues; runId?: string };

/** Throws for what a caller may not do. */
export type CommandPermit = (threadId: string, method: string, params: CommandValues) => Promise<Permitted>;

/** One command, as those who carry it out get it. */
export type CommandCall = {
  threadId: string;
  params: Params;
  context: CommandContext;
  /** Of the run that it starts; a new one where it is absent. */
  runId?: string | undefined;
};

/** @throws ProtocolError when nothing ever ran on the thread, which is when there is none */
export async function requireThread({ db }: CommandDeps, threadId: string): Promise<Thread> {
  const thread = await findThread(db, threadId);
  if (thread) return thread;
  throw new ProtocolError("no_such_run", `Thread ${threadId} has no run yet: start one with run.start`);
}

/** Reads what a command was given, field by field; null counts as absent. Each method throws a ProtocolError. */
export class Params {
  constructor(
    private readonly given: CommandValues,
    /** In front of a field's name when something is wrong with it. */
    private readonly inside = "",
  ) {}

  /** Everything that was given. */
  get all(): CommandValues {
    return this.given;
  }

  /** Whatever is there. */
  any(name: string): unknown {
    return this.given[name] ?? undefined;
  }

  text(name: string): string | undefined {
    const value = this.any(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(name, "a text");
  }

  requiredText(name: string): string {
    const text = this.text(name);
    if (!text) throw this.wrong(name, "a text");
    return text;
  }

  flag(name: string): boolean {
    const value = this.any(name) ?? false;
    if (typeof value === "boolean") return value;
    throw this.wrong(name, "true or false");
  }

  count(name: string, { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number }) {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `between ${least} and ${most}`;
    throw this.wrong(name, `a whole number, ${range}`);
  }

  record(name: string): CommandValues | undefined {
    const value = this.any(name);
    if (value === undefined || isRecord(value)) return value;
    throw this.wrong(name, "an object");
  }

  /** An object, or whatever is there, within the bounds on metadata, config and context. */
  checkBounds(...names: string[]): void {
    for (const name of names) {
      const passed = passedBound(this.any(name));
      if (passed !== undefined) throw this.wrong(name, `within bounds: ${boundWords(passed)}`);
    }
  }

  /** The fields of an object inside; none when it is absent. */
  nested(name: string): Params {
    return new Params(this.record(name) ?? {}, `${this.inside}${name}.`);
  }

  list(name: string): unknown[] | undefined {
    const value = this.any(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrong(name, "a list");
  }

  texts(name: string): string[] | undefined {
    return this.list(name)?.map((element) => {
      if (typeof element === "string") return element;
      throw this.wrong(name, "a list of texts");
    });
  }

  /** Objects in a list, each to be read by itself. */
  records(name: string): Params[] | undefined {
    return this.list(name)?.map((element, index) => {
      if (isRecord(element)) return new Params(element, `${this.inside}${name}[${index}].`);
      throw this.wrong(name, "a list of objects");
    });
  }

  wrong(name: string, expected: string): ProtocolError {
    return new ProtocolError("invalid_argument", `${this.inside}${name} must be ${expected}`);
  }
}

/** Every code that a protocol error may have (`streaming-protocol.md` §2.1). */
type ErrorCode =
  | "invalid_argument"
  | "unknown_command"
  | "unknown_error"
  | "no_such_run"
  | "no_such_subscription"
  | "no_such_namespace"
  | "no_such_interrupt"
  | "no_such_checkpoint"
  | "permission_denied"
  | "not_supported";

export type CommandValues = Record<string, unknown>;

/** What a command came to; `meta` tells where the thread's log stands then. */
export type CommandResult = { result: CommandValues; meta?: CommandValues };

/** The answer to a command as it goes over the wire. */
export type CommandReply =
  | ({ type: "success"; id: number } & CommandResult)
  | { type: "error"; id: number | null; error: ErrorCode; message: string; meta?: CommandValues };

/** A command that cannot be done; its code and its message are the reply. */
export class ProtocolError extends Error {
  override name = "ProtocolError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly meta?: CommandValues,
  ) {
    super(message);
  }
}

export function errorReply(id: number | null, { code, message, meta }: ProtocolError): CommandReply {
  return { type: "error", id, error: code, message, ...(meta && { meta }) };
}

/**
 * Reads a command, has it carried out, and makes a reply of what comes of it.
 * @throws Unavailable what it needs does not answer: the command is not to blame
 */
export async function replyTo(
  given: unknown,
  carryOut: (envelope: Envelope) => Promise<CommandResult>,
): Promise<CommandReply> {
  let id: number | null = null;
  try {
    const envelope = readEnvelope(given);
    id = envelope.id;
    return { type: "success", id, ...(await carryOut(envelope)) };
  } catch (error) {
    if (error instanceof ProtocolError) return errorReply(id, error);
    if (error instanceof Fault && !(error instanceof Unavailable))
      return errorReply(id, new ProtocolError(codeOf(error), error.message));
    throw error;
  }
}

function codeOf(fault: Fault): ErrorCode {
  const refused = [Denied, Unauthenticated, AuthRefusal].some((kind) => fault instanceof kind);
  return refused ? "permission_denied" : "invalid_argument";
}

/** A command as clients send it. Ids repeat across tabs and reloads: they only pair a reply with its question. */
export type Envelope = { id: number; method: string; params: Params };

/**
 * Reads the outer form of a command.
 * @throws ProtocolError when it is no command at all
 */
function readEnvelope(given: unknown): Envelope {
  if (!isRecord(given)) throw malformed("a command is an object with id, method and params");
  const { id, method, params } = given;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) {
    throw malformed("id must be a whole number, 0 or more");
  }
  if (typeof method !== "string" || method === "") throw malformed("method must be a text");
  if (params !== undefined && params !== null && !isRecord(params))
    throw malformed("params must be an object");
  return { id, method, params: new Params(params ?? {}) };
}

const malformed = (message: string) => new ProtocolError("invalid_argument", message);
