import { StateWriter } from "../events/index.ts";
import { encode, encodeState, encodeToken } from "../wire.ts";
import { type GraphChunk, publicPayload } from "./chunks.ts";

/** The input of a task that is longer than this is left out of a thread's log: it repeats the state. */
const INPUT_CHARS = 4_096;

type Frame = { name: string; json: string; tail?: number };

/** Puts what a graph emits into the form of the log. */
export class Frames {
  readonly #states: StateWriter | undefined;

  /**
   * @param shared the frames go into the log of a thread, which is kept and must not grow with the thread's age
   * @param keepsOutput the root's states are written whole, because the thread has other ones
   */
  constructor(
    private readonly shared: boolean,
    private readonly keepsOutput = false,
  ) {
    this.#states = shared ? new StateWriter() : undefined;
  }

  /** `shown`: how long it is for its readers, where that is another length than that of `json`. */
  frame({ mode, ns, payload }: GraphChunk): { event: Frame; shown?: number } {
    const isWhole = this.keepsOutput && ns.length === 0;
    if (mode === "values" && this.#states && !isWhole) {
      const { mode: form, json, shown } = this.#states.write(ns.join("|"), payload);
      return { event: { name: frameName(form, ns), json }, shown };
    }
    return { event: this.#whole(mode, ns, payload) };
  }

  #whole(mode: string, ns: string[], payload: unknown): Frame {
    if (mode === "messages") return { name: frameName(mode, ns), ...encodeToken(payload) };
    if (mode === "values") return { name: frameName(mode, ns), json: encodeState(payload) };
    const wire = publicPayload(mode, payload);
    return {
      name: frameName(mode, ns),
      json: mode === "tasks" && this.shared ? encodeTask(wire) : encode(wire),
    };
  }
}

function encodeTask(task: unknown): string {
  const json = encode(task);
  if (json.length < INPUT_CHARS || typeof task !== "object" || task === null || !("input" in task))
    return json;
  const { input } = task as { input: { tool_call?: unknown } | null };
  // Which call a subagent answers is read from here.
  const call = typeof input === "object" && input !== null ? input.tool_call : undefined;
  return encode({ ...task, input: call === undefined ? null : { tool_call: call } });
}

/** A node may be called anything; a line of the log and of an event stream may not hold it. */
export function frameName(mode: string, ns: string[]): string {
  if (ns.length === 0) return mode;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return `${mode}|${ns.join("|")}`.replaceAll(/[\u0000-\u001f]/g, " ");
}
