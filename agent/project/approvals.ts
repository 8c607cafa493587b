import { isRecord } from "../record.ts";

/** LangChain's Python and JavaScript spell the same question differently, and each front-end reads one of them. */
const QUESTION: Pairs = [
  ["action_requests", "actionRequests"],
  ["review_configs", "reviewConfigs"],
];
const CONFIG: Pairs = [
  ["action_name", "actionName"],
  ["allowed_decisions", "allowedDecisions"],
  ["args_schema", "argsSchema"],
];
const DECISION: Pairs = [["edited_action", "editedAction"]];

type Pairs = [snake: string, camel: string][];

/**
 * Interrupts as clients see them: a value that asks for approval has its fields in both spellings. Everything
 * else is the same object, and so is the list where nothing in it asks.
 */
export function spelledInterrupts<T>(interrupts: T[]): T[] {
  return mapped(interrupts, (one) => {
    if (!isRecord(one)) return one;
    const value = Array.isArray(one.value) ? mapped(one.value, question) : question(one.value);
    return value === one.value ? one : { ...one, value };
  });
}

/**
 * What a graph emits, with the interrupts in it as `spelledInterrupts` gives them: those of states and updates
 * (`__interrupt__`), tasks, checkpoints and debug events.
 */
export function spelledPayload(mode: string, payload: unknown): unknown {
  if (!isRecord(payload)) return payload;
  if (mode === "values" || mode === "updates") return withList(payload, "__interrupt__");
  if (mode === "tasks") return withList(payload, "interrupts");
  if (mode === "checkpoints") return withTasks(payload);
  if (mode !== "debug" || !isRecord(payload.payload)) return payload;
  const inner = withTasks(withList(payload.payload, "interrupts"));
  return inner === payload.payload ? payload : { ...payload, payload: inner };
}

/** An answer in both spellings: `{decisions}` itself, or as the answer to one of several interrupts by id. */
export function spelledAnswer(answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  if (Array.isArray(answer.decisions)) return decided(answer);
  const entries = Object.entries(answer);
  const spelled = mapped(entries, (entry) => {
    const value = isRecord(entry[1]) && Array.isArray(entry[1].decisions) ? decided(entry[1]) : entry[1];
    return value === entry[1] ? entry : [entry[0], value];
  });
  return spelled === entries ? answer : Object.fromEntries(spelled);
}

function decided(answer: Record<string, unknown>): Record<string, unknown> {
  return eachIn(answer, "decisions", DECISION);
}

function question(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const both = spelled(value, QUESTION);
  if (!Array.isArray(both.action_requests)) return value;
  return eachIn(eachIn(both, "review_configs", CONFIG), "reviewConfigs", CONFIG);
}

function eachIn(holder: Record<string, unknown>, key: string, pairs: Pairs): Record<string, unknown> {
  const list = holder[key];
  if (!Array.isArray(list)) return holder;
  const both = mapped(list, (one: unknown) => (isRecord(one) ? spelled(one, pairs) : one));
  return both === list ? holder : { ...holder, [key]: both };
}

/** The record with both names of each pair that it has one of; what is there is never overwritten. */
function spelled(record: Record<string, unknown>, pairs: Pairs): Record<string, unknown> {
  const added: [string, unknown][] = [];
  for (const [snake, camel] of pairs) {
    if (record[snake] === undefined && record[camel] !== undefined) added.push([snake, record[camel]]);
    if (record[camel] === undefined && record[snake] !== undefined) added.push([camel, record[snake]]);
  }
  return added.length === 0 ? record : { ...record, ...Object.fromEntries(added) };
}

function withList(holder: Record<string, unknown>, key: string): Record<string, unknown> {
  const list = holder[key];
  if (!Array.isArray(list) || list.length === 0) return holder;
  const both = spelledInterrupts(list);
  return both === list ? holder : { ...holder, [key]: both };
}

function withTasks(checkpoint: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(checkpoint.tasks)) return checkpoint;
  const tasks = mapped(checkpoint.tasks, (task) => (isRecord(task) ? withList(task, "interrupts") : task));
  return tasks === checkpoint.tasks ? checkpoint : { ...checkpoint, tasks };
}

/** The list with each element put through `change`; the same list where no element changed. */
function mapped<T>(list: T[], change: (one: T) => unknown): T[] {
  const changed = list.map(change) as T[];
  return changed.every((one, place) => one === list[place]) ? list : changed;
}
