import type { ProjectFiles } from "../tiny-agent.ts";
import { langGraphBundle } from "../tiny-agent.ts";

const MIB = 1_048_576;

/** A project that keeps whatever it is given, and changes little in each of three steps. */
export async function keepingProject(): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { keeping: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ a: Annotation, n: Annotation });
const step = (n) => () => ({ n });
export const graph = new StateGraph(State)
  .addNode("one", step(1)).addNode("two", step(2)).addNode("three", step(3))
  .addEdge("__start__", "one").addEdge("one", "two").addEdge("two", "three").compile();
`,
  };
}

/** JSON of the kinds that cost the most: much text, many values, many names, and what is deep. */
const KINDS: Readonly<Record<string, (most: number) => string>> = {
  text: (most) => `{"a":"${"x".repeat(most - 4_096)}"}`,
  values: (most) => `{"a":[${"{},".repeat(Math.min(240_000, Math.floor(most / 4)))}0]}`,
  names: (most) => {
    const many = Math.min(90_000, Math.floor(most / 12));
    return `{"a":{${Array.from({ length: many }, (_, at) => `"${at.toString(36)}":1`).join(",")}}}`;
  },
  deep: (most) =>
    `{"a":[${`${"[".repeat(900)}${"]".repeat(900)},`.repeat(Math.min(500, Math.floor(most / 2_000)))}0]}`,
};

/** The largest values that a field may be given, by their kind: free-form ones, lists of texts, texts. */
export const LARGEST: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(KINDS).map(([kind, make]) => [kind, make(31 * MIB)]),
  ...Object.entries(KINDS).map(([kind, make]) => [`small ${kind}`, make(MIB - 4_096)]),
  [
    "bounded",
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`name ${at}`, `text ${at}`.repeat(4)])),
    ),
  ],
  ...[31 * MIB, MIB - 4_096].flatMap((most) => {
    const small = most < MIB ? "small " : "";
    return [
      [`${small}list`, `[${'"a",'.repeat(Math.min(240_000, Math.floor(most / 5)))}"a"]`],
      [`${small}string`, `"${"x".repeat(most - 4_096)}"`],
    ];
  }),
]);
