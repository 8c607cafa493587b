import { faultOf, faultText } from "./faults.ts";
import type { CallAnswer } from "./protocol.ts";

type Waiting = { resolve(value: unknown): void; reject(error: Error): void; mayMove: boolean };

/** Questions on their way to the other end, by number. */
export class Calls {
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /**
   * @param send gets the number under which the answer comes back
   * @param mayMove whether it can be asked elsewhere instead, again
   */
  ask<Value>(send: (call: number) => void, mayMove = false): Promise<Value> {
    const call = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve: resolve as Waiting["resolve"], reject, mayMove });
      send(call);
    });
  }

  /** How many have no answer yet. */
  get open(): number {
    return this.#waiting.size;
  }

  answered({ call, value, fault }: Omit<CallAnswer, "type">): void {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (fault === undefined) waiting?.resolve(value);
    else waiting?.reject(faultOf(fault));
  }

  /** It was begun, and can be asked nowhere else any more. @returns false where it was before */
  stays(call: number): boolean {
    const waiting = this.#waiting.get(call);
    if (waiting) waiting.mayMove = false;
    return waiting !== undefined;
  }

  /** Lets go of those that can be asked elsewhere. */
  move(error: Error): void {
    for (const [call, { reject, mayMove }] of this.#waiting) {
      if (!mayMove) continue;
      this.#waiting.delete(call);
      reject(error);
    }
  }

  /** No answer will come any more. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** The answer to a question, whatever comes of `find`. */
export async function answerTo(call: number, find: () => unknown): Promise<CallAnswer> {
  try {
    return { type: "answer", call, value: await find() };
  } catch (error) {
    return { type: "answer", call, fault: faultText(error) };
  }
}
