import { packageOf, type Source, target } from "./source.ts";

type Layer = { ours: string[]; never: RegExp };

/** Whom each folder may import of ours, and which packages would do another folder's work there. */
const LAYERS: Record<string, Layer> = {
  store: { ours: [], never: /^(elysia|@elysiajs\/.+|@langchain\/langgraph|langchain|deepagents)$/ },
  agent: { ours: ["store"], never: /^(elysia|@elysiajs\/.+|kysely|bun:sqlite)$/ },
  server: {
    ours: ["agent", "store", "web"],
    never: /^(kysely|bun:sqlite|@langchain\/langgraph|langchain|deepagents)$/,
  },
  web: { ours: [], never: /^(elysia|@elysiajs\/.+|kysely|bun:sqlite)$/ },
};

/** Second doors: what loads LangChain, which only whoever runs graphs needs; and what no deployed process needs. */
const DOORS = new Set([
  "@berth/agent/code",
  "@berth/agent/engine",
  "@berth/agent/print",
  "@berth/store/langgraph",
  "@berth/store/mask",
]);

/** Each import that goes against the arrows, as a line for the person who wrote it. */
export function brokenArrows(sources: Source[]): string[] {
  return sources.flatMap((source) => {
    const folder = source.path.split("/")[0] ?? "";
    const layer = LAYERS[folder];
    if (!layer) return [];
    return source.imports.flatMap(({ specifier, typeOnly }) => {
      const reason = whyNot(source, folder, layer, specifier, typeOnly);
      return reason ? [`${source.path} imports ${specifier}: ${reason}`] : [];
    });
  });
}

function whyNot(
  source: Source,
  folder: string,
  layer: Layer,
  specifier: string,
  typeOnly: boolean,
): string | undefined {
  if (specifier.startsWith(".")) return whyNotPath(folder, target(source, specifier));
  if (layer.never.test(packageOf(specifier))) return `that is not the work of ${folder}`;
  const [, name, inside] = /^@berth\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  if (inside && !DOORS.has(specifier)) return "others are imported through their index only";
  if (folder === "web" && typeOnly) return undefined;
  return layer.ours.includes(name)
    ? undefined
    : `${folder} may import ${layer.ours.join(", ") || "nobody of ours"}`;
}

function whyNotPath(folder: string, path: string): string | undefined {
  const other = path.split("/")[0] ?? "";
  if (other === folder || other === "package.json") return undefined;
  if (folder === "server" && path === "web/index.html") return undefined;
  return other in LAYERS ? `import it as @berth/${other}` : `${folder} has no business in ${other}`;
}

/** Every cycle of imports between files, once, as `a → b → a`; imports of types count. */
export function cycles(sources: Source[]): string[] {
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (source: Source, trail: string[]): void => {
    const at = trail.indexOf(source.path);
    if (at >= 0) found.push([...trail.slice(at), source.path].join(" → "));
    if (at >= 0 || done.has(source.path)) return;
    for (const { specifier } of source.imports) {
      const next = specifier.startsWith(".") ? bySource.get(target(source, specifier)) : undefined;
      if (next) visit(next, [...trail, source.path]);
    }
    done.add(source.path);
  };
  for (const source of sources) visit(source, []);
  return found;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|spec|config|d))?\.tsx?$/;
const FOLDER = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const SAYS_NOTHING = /^(utils?|helpers?|managers?|common|misc|types)$/;
const MOST_LINES = 400;

/** Files that are too long or whose name is not a kebab-case noun that says something. */
export function badShapes(sources: Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const parts = path.split("/");
    const file = parts.pop() ?? "";
    const lines = text.trimEnd().split("\n").length;
    const wordless = [...parts, file.replace(/\..*$/, "")].filter((part) => SAYS_NOTHING.test(part));
    return [
      ...(lines > MOST_LINES ? [`${path} has ${lines} lines, at most ${MOST_LINES} are allowed`] : []),
      ...(NAME.test(file) && parts.every((part) => FOLDER.test(part))
        ? []
        : [`${path} is not in kebab-case`]),
      ...wordless.map((part) => `${path}: "${part}" says nothing about what is in it`),
    ];
  });
}
