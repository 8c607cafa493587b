import type { StoredEvent } from "@berth/store";
import { CHANGES } from "../events/index.ts";
import { interruptsIn } from "../interrupts.ts";
import { encode } from "../wire.ts";
import type { RunResult } from "./execution.ts";

const ERROR = (error: { error: string; message: string }) => JSON.stringify({ __error__: error });

/**
 * The body of `/wait` and `/join` (`agent-server.md` §5.3, §25): the last values, or `__interrupt__` alone when the run
 * stopped at one, or `__error__`; `__feedback__` beside them when places for it were asked for. Never `null`: clients
 * look for keys in it.
 *
 * @param stored gives the thread's values where the run itself brought none
 */
export async function resultText(
  result: FoundResult,
  stored: () => Promise<string | undefined>,
): Promise<string> {
  if (result.error) return ERROR(result.error);
  const values = result.interrupts
    ? `{"__interrupt__":${result.interrupts}}`
    : ((await result.values?.()) ?? (await stored()) ?? "{}");
  const whole = values === "null" ? "{}" : values;
  if (!result.feedback || !whole.startsWith("{")) return whole;
  return `${whole.slice(0, -1)}${whole === "{}" ? "" : ","}"__feedback__":${result.feedback}}`;
}

/** What is known of how a run ended. */
export type FoundResult = Partial<Pick<RunResult, "values" | "interrupts" | "feedback" | "error">>;

/** Finds the result of an ended run in its events, which come newest first. */
export async function resultInLog(events: AsyncIterable<StoredEvent>): Promise<FoundResult> {
  const found: FoundResult = {};
  const asked: unknown[][] = [];
  // Encoded once: a run may ask in as many events as it has tasks.
  const withQuestions = (): FoundResult =>
    asked.length === 0 ? found : { ...found, interrupts: encode(asked.toReversed().flat()) };
  let isEarlierAttempt = false;
  for await (const event of events) {
    if (event.name === "error") return { ...withQuestions(), error: JSON.parse(event.json) };
    // The thread has what these changes came to.
    if (event.name === CHANGES) return withQuestions();
    if (event.name === "feedback") found.feedback ??= event.json;
    // What an earlier attempt asked, the last one has asked again.
    if (event.name === "metadata") isEarlierAttempt = asked.flat().length > 0;
    const questions = questionsOf(event);
    if (questions && !isEarlierAttempt) asked.push(questions);
    // What came before the questions is no part of the answer.
    if (event.name === "values" && !questions) return { ...withQuestions(), values: () => event.json };
  }
  return withQuestions();
}

/** A run that is only waited for has them by themselves in its log, another one among its values. */
function questionsOf({ name, json }: StoredEvent): unknown[] | undefined {
  if (name === "interrupts") return JSON.parse(json) as unknown[];
  if (name !== "values" || !json.startsWith('{"__interrupt__"')) return undefined;
  return interruptsIn(JSON.parse(json));
}

/** What the log says of a run that failed; one that was stopped has not. */
export function failureOf({ status, error, origin }: RunResult): { error?: object } {
  if (!error || (status !== "error" && status !== "timeout")) return {};
  return { error: { name: error.error, message: error.message, stack: origin } };
}
