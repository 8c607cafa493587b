import type { Run } from "@berth/server";
import { isRecord } from "../content.ts";
import type { Snapshot, Timeline } from "./timeline.ts";

/** A question of the agent, and what a person said to it. */
export type AskedQuestion = {
  id: string;
  value: unknown;
  /** When it was answered is in milliseconds. Nothing where nobody has answered. */
  answer?: { value: unknown; at: number };
};

/** As much of a run as says what it answered. */
export type AnsweringRun = Pick<Run, "run_id" | "created_at" | "kwargs">;

/** The place of questions that were asked before any message. */
export const AT_START = "";

/** Whether any of the known checkpoints stopped at a question. */
export const hasQuestions = ({ snapshots }: Timeline): boolean =>
  [...snapshots.values()].some(({ asked }) => asked.length > 0);

/** The questions on the way to a checkpoint, by the message that each followed. */
export function questionsOf(
  timeline: Timeline,
  shown: Snapshot | undefined,
  runs: readonly AnsweringRun[],
): ReadonlyMap<string, AskedQuestion[]> {
  const answers = answersOf(runs);
  const placed = new Map<string, AskedQuestion[]>();
  let after: Snapshot | undefined;
  for (let at = shown; at; at = timeline.snapshots.get(at.parentId ?? "")) {
    const place = at.messageIds.at(-1) ?? AT_START;
    const whole = after?.runId === undefined ? undefined : answers.byRun.get(after.runId);
    const questions = at.asked.map(({ id, value }) => {
      const answer = answers.byId.get(id) ?? whole;
      return { id, value, ...(answer && { answer }) };
    });
    if (questions.length > 0) placed.set(place, [...questions, ...(placed.get(place) ?? [])]);
    after = at;
  }
  return placed;
}

type Answers = {
  byId: Map<string, NonNullable<AskedQuestion["answer"]>>;
  byRun: Map<string, NonNullable<AskedQuestion["answer"]>>;
};

/** An interrupt's id as LangGraph makes it; a map of these answers each of them. */
const INTERRUPT = /^[0-9a-f]{32}$/;

/** What runs were given as answers: by the interrupt, or by the run where it was given for all that was open. */
function answersOf(runs: readonly AnsweringRun[]): Answers {
  const answers: Answers = { byId: new Map(), byRun: new Map() };
  const oldestFirst = runs.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  for (const { run_id, created_at, kwargs } of oldestFirst) {
    const { command } = kwargs;
    if (!isRecord(command) || command.resume === undefined || command.resume === null) continue;
    const { resume } = command;
    const at = Date.parse(created_at);
    const ids = isRecord(resume) ? Object.keys(resume) : [];
    if (isRecord(resume) && ids.length > 0 && ids.every((id) => INTERRUPT.test(id)))
      for (const id of ids) answers.byId.set(id, { value: resume[id], at });
    else answers.byRun.set(run_id, { value: resume, at });
  }
  return answers;
}
