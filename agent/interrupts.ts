import { isRecord } from "./record.ts";

const INTERRUPT = "__interrupt__";

/**
 * The interrupts that a graph emitted in place of its values; undefined for values. LangGraph emits them alone, so
 * values that have such a key among others are the graph's own.
 */
export function interruptsIn(payload: unknown): unknown[] | undefined {
  if (!isRecord(payload) || !Array.isArray(payload[INTERRUPT])) return undefined;
  return Object.keys(payload).length === 1 ? payload[INTERRUPT] : undefined;
}
