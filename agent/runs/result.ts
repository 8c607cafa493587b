import type { StoredEvent } from "@berth/store";
import { CHANGES } from "../events/state-log.ts";
import { encode } from "../wire.ts";
import type { RunResult } from "./execution.ts";

const ERROR = (error: { error: string; message: string }) => JSON.stringify({ __error__: error });

/**
 * The body of `/wait` and `/join` (`agent-server.md` §5.3): the last values, with `__interrupt__` when the run
 * stopped at one, or `__error__`. Never `null`: clients look for keys in it.
 *
 * @param stored gives the thread's values where the run itself brought none
 */
export async function resultText(
  result: Pick<RunResult, "values" | "interrupts" | "error">,
  stored: () => Promise<string | undefined>,
): Promise<string> {
  if (result.error) return ERROR(result.error);
  const values = result.values?.() ?? (await stored()) ?? "{}";
  if (!result.interrupts) return values === "null" ? "{}" : values;
  if (!values.startsWith("{")) return values;
  const joint = values === "{}" ? "" : ",";
  return `${values.slice(0, -1)}${joint}"__interrupt__":${result.interrupts}}`;
}

/** Finds the result of an ended run in its events, which come newest first. */
export async function resultInLog(
  events: AsyncIterable<StoredEvent>,
): Promise<Pick<RunResult, "values" | "interrupts" | "error">> {
  let interrupts: string | undefined;
  for await (const event of events) {
    if (event.name === "error") return { values: undefined, interrupts, error: JSON.parse(event.json) };
    // The thread has what these changes came to.
    if (event.name === CHANGES) return { values: undefined, interrupts, error: undefined };
    if (event.name !== "values") continue;
    const found = interruptsIn(event.json);
    if (found === undefined) return { values: () => event.json, interrupts, error: undefined };
    if (found.length > 0) interrupts ??= encode(found);
  }
  return { values: undefined, interrupts, error: undefined };
}

function interruptsIn(json: string): unknown[] | undefined {
  if (!json.startsWith('{"__interrupt__"')) return undefined;
  const { __interrupt__ } = JSON.parse(json) as { __interrupt__: unknown };
  return Array.isArray(__interrupt__) ? __interrupt__ : undefined;
}
