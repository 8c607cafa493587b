import { END, type StoredEvent } from "@berth/store";
import { CHANGES } from "../events/index.ts";
import { interruptsBeside, interruptsIn, interruptsOfResult } from "../interrupts.ts";
import { encode } from "../wire.ts";
import type { RunResult } from "./execution.ts";
import type { ResultParts } from "./executor.ts";

const ERROR = (error: { error: string; message: string }) => JSON.stringify({ __error__: error });

/**
 * The body of `/wait` and `/join` (`agent-server.md` §5.3, §25): the last values, the interrupts that the run stopped
 * at (`__interrupt__`) or both, as `result` says; or `__error__`; `__feedback__` beside them when places for it were
 * asked for. Never `null`: clients look for keys in it.
 *
 * @param stored gives the thread's values where the run itself brought none
 */
export async function resultText(
  result: FoundResult,
  stored: () => Promise<string | undefined>,
): Promise<string> {
  if (result.error) return ERROR(result.error);
  const text = await stoppedText(result, stored);
  return result.feedback ? withKey(text, "__feedback__", result.feedback) : text;
}

async function stoppedText(
  { values, interrupts, result = interrupts ? "interrupts" : "values" }: FoundResult,
  stored: () => Promise<string | undefined>,
): Promise<string> {
  const asked = interrupts ?? "[]";
  if (result === "interrupts") return withKey("{}", "__interrupt__", asked);
  const text = (await values?.()) ?? (await stored()) ?? "{}";
  const shown = text === "null" ? "{}" : text;
  if (result === "values") return shown;
  // A functional graph may have returned anything before.
  return withKey(shown.startsWith("{") ? shown : "{}", "__interrupt__", asked);
}

function withKey(text: string, key: string, value: string): string {
  if (!text.startsWith("{")) return text;
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"${key}":${value}}`;
}

/** What is known of how a run ended. */
export type FoundResult = Partial<Pick<RunResult, "values" | "interrupts" | "result" | "feedback" | "error">>;

/** Finds the result of an ended run in its events, which come newest first. */
export async function resultInLog(events: AsyncIterable<StoredEvent>): Promise<FoundResult> {
  const found: FoundResult = {};
  const asked: unknown[][] = [];
  // Encoded once: a run may ask in as many events as it has tasks.
  const withQuestions = (): FoundResult =>
    asked.length === 0 ? found : { ...found, interrupts: encode(asked.toReversed().flat()) };
  let isEarlierAttempt = false;
  let hasState = false;
  for await (const event of events) {
    if (event.name === "error") return { ...withQuestions(), error: JSON.parse(event.json) };
    if (event.name === END) found.result = (JSON.parse(event.json) as { result?: ResultParts }).result;
    if (event.name === "feedback") found.feedback ??= event.json;
    // What an earlier attempt asked, the last one has asked again.
    if (event.name === "metadata") isEarlierAttempt = asked.flat().length > 0;
    const { questions, state } = found.result === "values" ? plainState(event) : readState(event);
    if (questions && !isEarlierAttempt) asked.push(questions);
    if (state && !hasState) {
      hasState = true;
      // The thread has what changes came to.
      if (event.name === "values") found.values = state;
    }
    // The questions of a run come behind its state, unless a task that did not ask ended after them.
    const isBeforeQuestions = found.result !== "values and interrupts" || asked.length > 0;
    if (state && !questions && isBeforeQuestions) return withQuestions();
  }
  return withQuestions();
}

type LoggedState = { questions?: unknown[]; state?: () => string };

const plainState = ({ name, json }: StoredEvent): LoggedState =>
  name === "values" || name === CHANGES ? { state: () => json } : {};

/** A run that is only waited for has its questions by themselves in its log, another one in or among its states. */
function readState(event: StoredEvent): LoggedState {
  const { name, json } = event;
  if (name === "interrupts") return { questions: JSON.parse(json) as unknown[] };
  const state = plainState(event);
  if (!state.state || !json.includes('"__interrupt__"')) return state;
  const values: unknown = JSON.parse(json);
  if (name === CHANGES) return { ...state, questions: interruptsOfResult((values as { set?: unknown }).set) };
  const alone = interruptsIn(values);
  if (alone) return { questions: alone };
  const questions = interruptsOfResult(values);
  return questions ? { questions, state: () => encode(interruptsBeside(values).values) } : state;
}

/** What the log says of a run that failed; one that was stopped has not. */
export function failureOf({ status, error, origin }: RunResult): { error?: object } {
  if (!error || (status !== "error" && status !== "timeout")) return {};
  return { error: { name: error.error, message: error.message, stack: origin } };
}
