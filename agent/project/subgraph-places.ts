import type { GraphSpec } from "./config.ts";
import { isSettings, sourcesOf } from "./sources.ts";

/** Where a source names what becomes a node: the compiler knows the type of the name that stands there. */
export type SubgraphPlace = { node: string; file: string; at: number };

const MOST_PLACES = 500;
/** So much of one call is looked at where its end is not found. */
const LONGEST_CALL = 20_000;

const CALL = /\.\s*addNode\s*\(/g;
/** `"node", a.b.graph`, `node: graph`: the last part of the name is what has the type. */
const NODE =
  /(?:(["'`])(?<quoted>[^"'`\n]+)\1|(?<bare>[A-Za-z_$][\w$]*))\s*[,:]\s*(?:await\s+)?(?:[\w$]+\s*\.\s*)*(?<name>[A-Za-z_$][\w$]*)/dg;

/**
 * The places of a project's sources where a node may be a graph: LangGraph has a subgraph's channels but not their
 * types. Too many are no harm: what stands there must be a graph with the channels of the one that runs.
 */
export async function subgraphPlaces(graphs: Record<string, Partial<GraphSpec>>): Promise<SubgraphPlace[]> {
  const { sources } = await sourcesOf(graphs);
  const places = sources.flatMap(({ file, text }) =>
    text === null || isSettings(file) ? [] : placesIn(file, text),
  );
  return places.slice(0, MOST_PLACES);
}

function placesIn(file: string, text: string): SubgraphPlace[] {
  return [...text.matchAll(CALL)].flatMap(({ index, 0: call }) => {
    const from = index + call.length;
    const given = text.slice(from, endOfCall(text, from));
    // One node alone, or a record or a list of nodes.
    const all = /^\s*[{[]/.test(given);
    const named = [...given.matchAll(NODE)].filter(
      ({ index: at }) => all || given.slice(0, at).trim() === "",
    );
    return named.flatMap(({ groups, indices }) => {
      const node = groups?.quoted ?? groups?.bare;
      const [at] = indices?.groups?.name ?? [];
      return node === undefined || at === undefined ? [] : [{ node, file, at: from + at }];
    });
  });
}

/** Where the bracket closes; brackets in texts may lead astray, which costs no more than a place. */
function endOfCall(text: string, from: number): number {
  let open = 1;
  const last = Math.min(text.length, from + LONGEST_CALL);
  for (let at = from; at < last; at += 1) {
    if (text[at] === "(") open += 1;
    if (text[at] === ")") open -= 1;
    if (open === 0) return at;
  }
  return last;
}
