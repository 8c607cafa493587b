// How big the house is and how its rooms hang together, in figures: `bun tests/architecture/figures.ts [LIST]`.
import { circlesOfRooms, pastTheDoor } from "./rooms.ts";
import { readSources, type Source, target } from "./source.ts";

const AREAS = ["store", "agent", "server", "web"];
const SMALL = 45;

const areaOf = ({ path }: Source) => path.split("/")[0] ?? "";
const linesOf = ({ text }: Source) => text.trimEnd().split("\n").length;
const sources = readSources();
const production = sources.filter((source) => AREAS.includes(areaOf(source)));

const importers = Map.groupBy(
  production.flatMap((source) =>
    [...new Set(source.imports.map(({ specifier }) => specifier))]
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => ({ from: source.path, to: target(source, specifier) })),
  ),
  ({ to }) => to,
);

const onceImported = (area: string) =>
  production
    .filter(
      (source) => areaOf(source) === area && linesOf(source) <= SMALL && !source.path.endsWith("index.ts"),
    )
    .flatMap(({ path }) => {
      const [one, ...others] = importers.get(path) ?? [];
      return one && others.length === 0 ? [`${path} ← ${one.from}`] : [];
    });

const TYPE = /^export (?:type|interface|class|abstract class) (\w+)/gm;

const doubled = () => {
  const places = Map.groupBy(
    production.flatMap(({ path, text }) => [...text.matchAll(TYPE)].map(([, name = ""]) => ({ name, path }))),
    ({ name }) => name,
  );
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name}: ${found.map(({ path }) => path).join(", ")}`);
};

const lists: Record<string, string[]> = { doubled: doubled() };
for (const area of AREAS) {
  lists[`${area}:circles`] = circlesOfRooms(sources, [area]);
  lists[`${area}:past`] = pastTheDoor(sources, [area]);
  lists[`${area}:once`] = onceImported(area);
}

const wanted = process.argv[2];
if (wanted) console.log((lists[wanted] ?? []).join("\n"));
else {
  for (const area of AREAS) {
    const own = production.filter((source) => areaOf(source) === area);
    const lines = own.reduce((sum, source) => sum + linesOf(source), 0);
    const counted = ["circles", "past", "once"].map((kind) => `${kind} ${lists[`${area}:${kind}`]?.length}`);
    console.log(`${area}: modules ${own.length}, lines ${lines}, ${counted.join(", ")}`);
  }
  console.log(`exported types that share a name: ${lists.doubled?.length}`);
}
