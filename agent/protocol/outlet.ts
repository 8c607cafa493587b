import type { ThreadFrame } from "../events/index.ts";
import type { ThreadEvent } from "./event.ts";

/**
 * Room for the events of one frame in the numbers of the thread: event 3 of frame 42 is 42000003. So a number
 * says where in the log an event comes from, and never changes.
 */
export const EVENTS_A_FRAME = 1_000_000;
/** The end of a run is the last event of its frame, however many come before it. */
const LAST_PART = EVENTS_A_FRAME - 1;

/** What an event says, before it has a number. */
export type Said = {
  method: string;
  namespace: readonly string[];
  /** JSON of `params.data`. */
  data: string;
  node?: string;
  /** The name of a named custom event. */
  name?: string;
};

/** The frame whose events carry numbers up to this one. */
export function frameOf(seq: number): number {
  return Math.floor(seq / EVENTS_A_FRAME);
}

/** Gives the events of one frame their numbers, ids and JSON. */
export class Outlet {
  readonly events: ThreadEvent[] = [];
  #part = 0;

  constructor(private readonly frame: ThreadFrame) {}

  say(said: Said): void {
    const seq = this.frame.seq * EVENTS_A_FRAME + this.#part;
    this.#part += 1;
    this.events.push(this.#event(said, seq, `${this.frame.run_id.slice(-12)}-${seq}`));
  }

  /**
   * A lifecycle event of the run itself. Clients read the run's id out of ids of this form
   * (`streaming-protocol.md` §4.3).
   */
  root(status: string, data: string, last: boolean): void {
    const part = last ? LAST_PART : this.#part;
    if (!last) this.#part += 1;
    const seq = this.frame.seq * EVENTS_A_FRAME + part;
    const id = `synth:${this.frame.run_id}:${status}:${seq}`;
    this.events.push(this.#event({ method: "lifecycle", namespace: [], data }, seq, id));
  }

  #event({ method, namespace, data, node, name }: Said, seq: number, event_id: string): ThreadEvent {
    const at = `"namespace":${JSON.stringify(namespace)},"timestamp":${this.frame.at}`;
    const by = node === undefined ? "" : `,"node":${JSON.stringify(node)}`;
    const json = `{"type":"event","event_id":"${event_id}","seq":${seq},"method":"${method}","params":{${at}${by},"data":${data}}}`;
    return { seq, event_id, method, namespace, run_id: this.frame.run_id, json, ...(name && { name }) };
  }
}
