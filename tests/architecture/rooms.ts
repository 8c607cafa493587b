import { type Source, target } from "./source.ts";

/** The areas whose folders are rooms with a door: all of them. */
export const AREAS = ["store", "agent", "server", "web"];

/** Projects that people copy out: no rooms of ours, and `templates/index.ts` loads each by its main file. */
const PROJECTS = /^agent\/templates\/[^/]+\//;

type Step = { from: string; to: string };

/** Each import that enters a folder by another file than its `index.ts`, as a line for who wrote it. */
export function pastTheDoor(sources: Source[], areas: string[]): string[] {
  return steps(sources, areas).flatMap(({ from, to }) => {
    const { folder, there } = parting(from, to);
    if (!there.includes("/") || PROJECTS.test(to)) return [];
    const door = `${folder}/${there.split("/")[0]}/index.ts`;
    return to === door ? [] : [`${from} imports ${to}: the door is ${door}`];
  });
}

/** The circles between what lies side by side in one folder, files and folders alike, each as a sorted list. */
export function circlesOfRooms(sources: Source[], areas: string[]): string[] {
  const byFolder = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of steps(sources, areas)) {
    const { folder, here, there } = parting(from, to);
    const rooms = byFolder.get(folder) ?? new Map<string, Set<string>>();
    byFolder.set(folder, rooms);
    const [one = "", other = ""] = [here, there].map((path) => path.split("/")[0]);
    rooms.set(one, (rooms.get(one) ?? new Set()).add(other));
  }
  return [...byFolder].flatMap(([folder, rooms]) =>
    circles(rooms).map((names) => names.map((name) => `${folder}/${name}`).join(" ⇄ ")),
  );
}

/** The loose files of an area that are not in `core`. */
export function looseFiles(sources: Source[], area: string, core: string[]): string[] {
  return sources
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${area}/`) && path.split("/").length === 2)
    .filter((path) => !core.includes(path.slice(area.length + 1)));
}

/** Every import within one area. */
function steps(sources: Source[], areas: string[]): Step[] {
  const known = new Set(sources.map(({ path }) => path));
  return sources
    .filter(({ path }) => areas.includes(path.split("/")[0] ?? ""))
    .flatMap((source) =>
      source.imports
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => ({ from: source.path, to: target(source, specifier) }))
        .filter(({ from, to }) => known.has(to) && from.split("/")[0] === to.split("/")[0]),
    );
}

/** The last folder that two files share, and the way from there to each. */
function parting(from: string, to: string): { folder: string; here: string; there: string } {
  const [ones, others] = [from.split("/"), to.split("/")];
  let shared = 0;
  while (shared < ones.length - 1 && shared < others.length - 1 && ones[shared] === others[shared]) shared++;
  const folder = ones.slice(0, shared).join("/");
  return { folder, here: ones.slice(shared).join("/"), there: others.slice(shared).join("/") };
}

/** Groups of names that reach each other, by Tarjan's strongly connected components. */
function circles(arrows: Map<string, Set<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): number => {
    order.set(name, order.size);
    let lowest = order.get(name) ?? 0;
    open.push(name);
    for (const next of arrows.get(name) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.includes(next)) lowest = Math.min(lowest, order.get(next) ?? 0);
    }
    low.set(name, lowest);
    if (lowest === order.get(name)) {
      const group = open.splice(open.indexOf(name));
      if (group.length > 1) found.push(group.sort());
    }
    return lowest;
  };
  for (const name of arrows.keys()) if (!order.has(name)) visit(name);
  return found;
}
