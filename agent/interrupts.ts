import { isRecord } from "./record.ts";

const INTERRUPT = "__interrupt__";

/** A state of a Python graph that stopped: its values, and the interrupts that LangGraph puts beside them. */
export function interruptsBeside(payload: unknown): { values: unknown; interrupts: unknown[] } {
  const { [INTERRUPT]: interrupts, ...values } = isRecord(payload) ? payload : {};
  return {
    values: Object.keys(values).length > 0 ? values : undefined,
    interrupts: Array.isArray(interrupts) ? interrupts : [],
  };
}

/** The interrupts of the result of a run, which may have values beside them; undefined where it did not stop. */
export function interruptsOfResult(result: unknown): unknown[] | undefined {
  const interrupts = isRecord(result) ? result[INTERRUPT] : undefined;
  const isAsked = Array.isArray(interrupts) && interrupts.length > 0 && interrupts.every(isInterrupt);
  return isAsked ? interrupts : interruptsIn(result);
}

const isInterrupt = (one: unknown): boolean => isRecord(one) && typeof one.id === "string" && "value" in one;

/**
 * The interrupts that a graph emitted in place of its values; undefined for values. LangGraph emits them alone, so
 * values that have such a key among others are the graph's own.
 */
export function interruptsIn(payload: unknown): unknown[] | undefined {
  if (!isRecord(payload) || !Array.isArray(payload[INTERRUPT])) return undefined;
  return Object.keys(payload).length === 1 ? payload[INTERRUPT] : undefined;
}
