import { sep } from "node:path";

/** Lines are counted from 1 here, other than in profiles of V8. */
type Node = {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
};

/** As `bun --cpu-prof` writes it; times in µs since 1970. */
export type Profile = { nodes: Node[]; startTime: number; samples: number[]; timeDeltas: number[] };

/** What of a profile counts, in ms since 1970. */
export type Window = { begin: number; end: number };

const TOP = 20;
const IDLE = new Set(["(idle)", "(program)", "(root)"]);

/** The functions with the most own time in those windows, as lines of text. */
export function topOf(looks: { profile: Profile; window: Window }[], root: string): string {
  const own = new Map<string, number>();
  let total = 0;
  for (const { profile, window } of looks) {
    const ownerOf = owners(profile.nodes, root);
    let at = profile.startTime / 1_000;
    profile.samples.forEach((id, index) => {
      const ms = (profile.timeDeltas[index] ?? 0) / 1_000;
      at += ms;
      const owner = ownerOf.get(id);
      if (at < window.begin || at > window.end || owner === undefined) return;
      own.set(owner, (own.get(owner) ?? 0) + 1);
      total += 1;
    });
  }
  const top = [...own].toSorted(([, a], [, b]) => b - a).slice(0, TOP);
  const percent = (count: number) => `${((count * 100) / total).toFixed(1).padStart(5)} %`;
  const lines = top.map(([owner, count]) => `${percent(count)}  ${owner}`);
  const sum = top.reduce((all, [, count]) => all + count, 0);
  const parts = new Map<string, number>();
  for (const [owner, count] of own) parts.set(partOf(owner), (parts.get(partOf(owner)) ?? 0) + count);
  const byPart = [...parts].toSorted(([, a], [, b]) => b - a);
  return [
    ...lines,
    `${percent(sum)}  together, of ${total.toLocaleString("en")} samples`,
    ...["", "By whose code it is:", ""],
    ...byPart.map(([part, count]) => `${percent(count)}  ${part}`),
  ].join("\n");
}

const PARTS: [RegExp, string][] = [
  [/ (@langchain|langsmith)\//, "LangGraph and LangChain"],
  [/ (bun:sqlite|kysely\/|store\/database[/.])/, "SQL: SQLite, its statements"],
  [/ (agent|store|server)\/traces\/| store\/figures\/| server\/langsmith\//, "Berth: traces and figures"],
  [/ store\//, "Berth: store"],
  [/ agent\//, "Berth: agent"],
  [/ server\//, "Berth: server"],
  [/ tests\/bench\//, "the graph"],
  [/^native/, "native code that nobody is named for"],
];

/** Whose a function is, by its place. */
const partOf = (owner: string): string => PARTS.find(([place]) => place.test(owner))?.[1] ?? "other packages";

/** Who a sample counts for, by the node in which it was taken; nobody while the process waits. */
function owners(nodes: Node[], root: string): Map<number, string | undefined> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const ownerOf = ({ id, callFrame }: Node): string | undefined => {
    const { functionName, url, lineNumber } = callFrame;
    if (IDLE.has(functionName)) return undefined;
    if (isOfJavaScript(url)) return `${functionName || "(anonymous)"} ${placeOf(url, root)}:${lineNumber}`;
    const parent = byId.get(parents.get(id) ?? -1);
    return (parent && ownerOf(parent)) ?? `native ${functionName}`;
  };
  return new Map(nodes.map((node) => [node.id, ownerOf(node)]));
}

const isOfJavaScript = (url: string) => url !== "" && !url.startsWith("[native");

/** Where a function is, from the root of the sources or of its package on. */
function placeOf(url: string, root: string): string {
  const path = decodeURI(url.replace("file://", ""));
  const inPackage = path.lastIndexOf(`${sep}node_modules${sep}`);
  if (inPackage >= 0) return path.slice(inPackage + "/node_modules/".length);
  return path.startsWith(root) ? path.slice(root.length + 1) : path;
}
