import type { ChatMessage } from "../content.ts";
import { isRecord } from "../content.ts";
import type { AskedQuestion, CallTimes } from "../timeline/index.ts";
import { type AskedAction, type Decision, type Request, readRequest } from "./payload.ts";

/** What was said to one call that a person was asked about. */
export type GivenVerdict = {
  action: AskedAction;
  /** Nothing where it cannot be told from the answer. */
  decision?: Decision;
  /** The arguments that a person put in place of the agent's. */
  args?: Record<string, unknown>;
  words?: string;
};

/** A question as it is kept in the conversation. */
type QuestionRecord = {
  title: string | undefined;
  isAnswered: boolean;
  verdicts: GivenVerdict[];
  /** The answer in words or data, where the question was not about calls. */
  said?: string;
};

/** Reads a question and its answer, in whatever form they were asked and given. */
export function recordOf({ value, answer }: AskedQuestion): QuestionRecord {
  const request = readRequest(value);
  const isAnswered = answer !== undefined;
  if (request.kind === "question") {
    const said = answer && inWords(answer.value);
    return { title: request.question, isAnswered, verdicts: [], ...(said !== undefined && { said }) };
  }
  const actions = request.kind === "review" ? request.actions : [request.action];
  const given = answer ? decisionsIn(request, answer.value) : [];
  const verdicts = actions.map((action, place) => ({ action, ...verdictOf(given[place]) }));
  return { title: request.kind === "approval" ? request.question : undefined, isAnswered, verdicts };
}

function decisionsIn(request: Request, answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer;
  if (isRecord(answer) && Array.isArray(answer.decisions)) return answer.decisions;
  return request.kind === "approval" ? [answer] : [];
}

const YES = /^\s*(approved?|yes|ok)\s*$/i;
const DECISIONS: Record<string, Decision> = {
  approve: "approve",
  accept: "accept",
  edit: "edit",
  reject: "reject",
  respond: "respond",
  response: "respond",
  ignore: "ignore",
};

function verdictOf(given: unknown): Omit<GivenVerdict, "action"> {
  if (given === undefined) return {};
  if (given === true || (typeof given === "string" && YES.test(given))) return { decision: "approve" };
  if (typeof given === "string") return { decision: "reject", words: given };
  if (!isRecord(given)) return given === false ? { decision: "reject" } : {};
  const decision = DECISIONS[String(given.type)];
  const { edited_action, args, message } = given;
  const inner = isRecord(edited_action) ? edited_action.args : isRecord(args) ? args.args : undefined;
  const words = typeof message === "string" ? message : typeof args === "string" ? args : "";
  return {
    ...(decision && { decision }),
    ...(decision === "edit" && isRecord(inner) && { args: inner }),
    ...(words && { words }),
  };
}

const inWords = (answer: unknown): string =>
  typeof answer === "string" ? answer : (JSON.stringify(answer, null, 2) ?? "");

type Questions = ReadonlyMap<string, readonly AskedQuestion[]>;

/** The calls that a person did not want: what the agent was told of them is no failure of the tool. */
export function declinedCalls(questions: Questions, messages: readonly ChatMessage[]): ReadonlySet<string> {
  const declined = new Set<string>();
  for (const { id, toolCalls } of messages) {
    const verdicts = (questions.get(id) ?? []).flatMap((question) => recordOf(question).verdicts);
    for (const { action, decision } of verdicts) {
      if (decision !== "reject" && decision !== "ignore") continue;
      const call = toolCalls.find(
        (one) => !declined.has(one.id) && one.name === action.name && sameArgs(one.args, action.args),
      );
      if (call) declined.add(call.id);
    }
  }
  return declined;
}

const sameArgs = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The times of calls without the time that a person took to say whether they may be made. */
export function withoutWaiting(
  timings: ReadonlyMap<string, CallTimes>,
  questions: Questions,
  messages: readonly ChatMessage[],
): ReadonlyMap<string, CallTimes> {
  const worked = new Map(timings);
  for (const { id, toolCalls } of messages) {
    const asked = questions.get(id) ?? [];
    if (asked.length === 0) continue;
    const answered = asked.flatMap(({ answer }) => answer?.at ?? []);
    const from = Math.max(...answered);
    for (const call of toolCalls) {
      const { start = 0, end } = worked.get(call.id) ?? {};
      // Until it is known when it was answered, nobody knows how long the rest took.
      if (end === undefined || answered.length < asked.length) {
        worked.delete(call.id);
        continue;
      }
      // Clocks of several servers may differ a little.
      worked.set(call.id, { start: Math.min(Math.max(start, from), end), end });
    }
  }
  return worked;
}
