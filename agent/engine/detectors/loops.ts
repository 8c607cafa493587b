import type { Span } from "@berth/store";
import { isRecord } from "../../record.ts";
import { type Evidence, type Observation, parsed } from "./evidence.ts";
import { isRecursion } from "./exceptions.ts";
import { messagesIn } from "./messages.ts";

/** So many calls with the same arguments in one trace are a loop; three may be two retries. */
const LOOP = 4;

/** A graph that went on until its limit stopped it. */
export function recursionLimits(evidence: Evidence): Observation[] {
  const reached = evidence.spans.filter(isRecursion);
  const innermost = reached.filter((span) => !evidence.children(span).some(isRecursion));
  return innermost.slice(0, 1).map((span) => ({
    detector: "recursion_limit",
    error_type: "GraphRecursionError",
    node: evidence.node(span),
    tool: null,
    message: span.error?.message ?? "",
    reason: "The graph went from node to node until its recursion limit stopped it.",
    run_id: span.id,
  }));
}

type Call = { name: string; args: string; span: Span };

/** The same tool, called again and again with the same arguments. */
export function loops(evidence: Evidence): Observation[] {
  const tools = evidence.spans.filter(({ run_type, inputs }) => run_type === "tool" && inputs !== null);
  const ofTools = tools.map((span) => ({ name: span.name, args: argumentsOf(parsed(span.inputs)), span }));
  const traced = new Set(ofTools.map(({ name }) => name));
  // Tools that are plain functions leave no spans: what the model asked for tells of them.
  const asked = tools.length >= LOOP ? [] : askedFor(evidence).filter(({ name }) => !traced.has(name));
  const same = Map.groupBy([...ofTools, ...asked], ({ name, args }) => `${name} ${args}`);
  const longest = new Map<string, Call[]>();
  for (const calls of same.values()) {
    const name = calls[0]?.name ?? "";
    if (calls.length >= LOOP && calls.length > (longest.get(name)?.length ?? 0)) longest.set(name, calls);
  }
  return [...longest].map(([tool, calls]) => observation(evidence, tool, calls));
}

function observation(evidence: Evidence, tool: string, calls: Call[]): Observation {
  const last = calls.at(-1)?.span;
  return {
    detector: "loop",
    error_type: "RepeatedCall",
    node: last ? evidence.node(last) : null,
    tool,
    message: `${tool} is called with the same arguments again and again`,
    reason: `${tool} was called ${calls.length} times with the same arguments in one run.`,
    run_id: last?.id ?? evidence.whole.trace.id,
  };
}

function askedFor(evidence: Evidence): Call[] {
  const models = evidence.spans.filter(({ run_type }) => run_type === "llm");
  if (models.length < LOOP) return [];
  return models.flatMap((span) =>
    messagesIn(evidence.outputs(span))
      .slice(0, 1)
      .flatMap(({ toolCalls }) =>
        toolCalls.map(({ name, args }) => ({ name, args: argumentsOf(args), span })),
      ),
  );
}

/** Arguments in one order, without the id that each call has of its own. */
function argumentsOf(given: unknown): string {
  const value = typeof given === "string" ? (parsed(given) ?? given) : given;
  if (!isRecord(value)) return JSON.stringify(value) ?? "";
  if ("args" in value && ("id" in value || value.type === "tool_call")) return argumentsOf(value.args);
  const { input } = value;
  if (Object.keys(value).length === 1 && input !== undefined) return argumentsOf(input);
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
