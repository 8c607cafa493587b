import { type Assistants, type Database, findThread, type Serial, type Thread } from "@berth/store";
import type { Project } from "../project/index.ts";
import type { EventView, ThreadEvents } from "../protocol/index.ts";
import type { Runs } from "../runs/index.ts";
import type { ThreadChanges, ThreadStates } from "../threads/index.ts";
import type { Params } from "./params.ts";
import { type CommandValues, ProtocolError } from "./reply.ts";

/** What commands work on. */
export type CommandDeps = {
  db: Database;
  project: Project;
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
  /** How the sender gets events on its socket, where that is not as they are. */
  view?: EventView | undefined;
};

/** The params that a command is to have, and the id of the run that it starts, if it starts one. */
export type Permitted = { params: CommandValues; runId?: string };

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
