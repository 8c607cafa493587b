import type { GraphDrawing } from "@berth/server";
import { Graph, layout } from "@dagrejs/dagre";
import { WORDS } from "../words.tsx";

type Box = { x: number; y: number; width: number; height: number };

export type PlacedNode = Box & { id: string; label: string; isEnd: boolean };
type PlacedGroup = Box & { id: string; label: string };
export type PlacedEdge = {
  id: string;
  path: string;
  isConditional: boolean;
  label?: { text: string; x: number; y: number };
};

/** Where everything of a drawing is, in pixels from its upper left corner. */
export type PlacedGraph = {
  width: number;
  height: number;
  nodes: PlacedNode[];
  groups: PlacedGroup[];
  edges: PlacedEdge[];
};

const NODE_HEIGHT = 36;
const LETTER = 7.5;
const AROUND = 72;
const SHORTEST = 88;
const LONGEST = 240;
/** The start and the end of a graph, which nothing runs in. */
const ENDS: Record<string, string> = { __start__: WORDS.start, __end__: "End" };

/** The last part of a node's name: `label` of `ship:label`. */
const innermost = (id: string): string => id.split(":").at(-1) ?? id;

/** Whether a node lies in a graph that is another node. */
export const isWithin = (id: string): boolean => id.includes(":");

const outerOf = (id: string): string => id.split(":").slice(0, -1).join(":");

/** Lays a drawing out from above to below, subgraphs as boxes around their nodes. */
export function placed({ nodes, edges }: GraphDrawing): PlacedGraph {
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 34, marginx: 12, marginy: 12 });
  for (const { id } of nodes) graph.setNode(id, { width: widthOf(labelOf(id)), height: NODE_HEIGHT });
  const known = new Set(nodes.map(({ id }) => id));
  const groups = new Set<string>();
  for (const { id } of nodes) encloseIn(graph, id, { known, groups });
  for (const [at, { source, target, data }] of edges.entries())
    if (known.has(source) && known.has(target)) graph.setEdge(source, target, edgeSize(data), String(at));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map(({ id }) => ({ id, label: labelOf(id), isEnd: id in ENDS, ...boxOf(graph.node(id)) })),
    groups: [...groups].map((id) => ({ id, label: innermost(id), ...boxOf(graph.node(groupId(id))) })),
    edges: graph.edges().map((edge) => {
      const { conditional = false, data } = edges[Number(edge.name)] ?? {};
      const { points, x, y } = graph.edge(edge);
      return {
        id: edge.name ?? "",
        path: pathThrough(points ?? []),
        isConditional: conditional,
        ...(isLabel(data) && x !== undefined && y !== undefined && { label: { text: data, x, y } }),
      };
    }),
  };
}

const groupId = (id: string): string => WORDS.group(id);

type Enclosing = { known: ReadonlySet<string>; groups: Set<string> };

/** Puts a node into the boxes of the subgraphs that it is in. */
function encloseIn(graph: Graph, id: string, { known, groups }: Enclosing): void {
  let inner = id;
  for (let outer = outerOf(id); outer !== ""; outer = outerOf(outer)) {
    if (!known.has(outer)) {
      if (!groups.has(outer)) graph.setNode(groupId(outer), {});
      groups.add(outer);
      graph.setParent(inner, groupId(outer));
      inner = groupId(outer);
    }
  }
}

const labelOf = (id: string): string => ENDS[id] ?? innermost(id);

const widthOf = (label: string): number =>
  Math.min(LONGEST, Math.max(SHORTEST, label.length * LETTER + AROUND));

const isLabel = (data: unknown): data is string => typeof data === "string" && data !== "";

/** Room for the words at an edge, where it has any. */
const edgeSize = (data: unknown) =>
  isLabel(data) ? { width: data.length * 6, height: 14, labelpos: "c" as const } : {};

/** dagre tells middles. */
function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

type Point = { x: number; y: number };

/** A line through some points that turns softly. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const turns = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? point;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  const last = rest.at(-1) ?? first;
  return [`M${first.x} ${first.y}`, ...turns, `L${last.x} ${last.y}`].join(" ");
}
