import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What only Tailwind understands; version 3 says `@tailwind`, version 4 imports itself. */
const MARKS =
  /@(?:tailwind|theme|utility|custom-variant|variant|apply|reference|config|plugin|source)\b|@import\s+(?:url\()?["']tailwindcss\b/;

/** Packages that people install Tailwind 4 by: each brings what compiles it and what reads class names. */
const BRINGERS = ["node", "postcss", "cli", "vite"].map((name) => `@tailwindcss/${name}/package.json`);
const CONFIGS = ["ts", "js", "mjs", "cjs"].map((ending) => `tailwind.config.${ending}`);

/**
 * Compiles a stylesheet with the project's own copy of Tailwind (4, or 3 with its configuration file in the project),
 * otherwise with Berth's copy of Tailwind 4. Returns undefined for a stylesheet without Tailwind, and in the executable,
 * which contains no copy.
 * @param dir of the project: its files are searched for class names
 * @throws Error what Tailwind finds wrong
 */
export async function compileTailwind(file: string, css: string, dir: string): Promise<string | undefined> {
  if (!MARKS.test(css)) return undefined;
  const manifest = found("tailwindcss/package.json", dirname(file));
  if (manifest === undefined) return compiledByOwn(file, css, dir);
  const { version } = (await Bun.file(manifest).json()) as { version: string };
  if (version.startsWith("4.")) return inShadow(await compiledBy4(file, css, dir));
  const config = CONFIGS.map((name) => join(dir, name)).find(existsSync);
  return version.startsWith("3.") && config ? compiledBy3(file, css, config) : undefined;
}

type Source = { base: string; pattern: string; negated: boolean };
type Compiler4 = {
  root: null | "none" | { base: string; pattern: string };
  sources: Source[];
  build(candidates: string[]): string;
};
type Node4 = {
  compile(css: string, options: Record<string, unknown>): Promise<Compiler4>;
};
type Oxide4 = { Scanner: new (options: { sources: Source[] }) => { scan(): string[] } };

async function compiledBy4(file: string, css: string, dir: string): Promise<string> {
  const from = [
    dir,
    ...BRINGERS.map((name) => found(name, dir)).flatMap((path) => (path ? dirname(path) : [])),
  ];
  const own = async <Module>(name: string): Promise<Module> => {
    const path = from.map((folder) => found(name, folder)).find((one) => one !== undefined);
    if (path === undefined)
      throw new Error(
        `Tailwind 4 needs ${name}, which @tailwindcss/postcss and @tailwindcss/cli bring along`,
      );
    return import(path);
  };
  const { compile } = await own<Node4>("@tailwindcss/node");
  const { Scanner } = await own<Oxide4>("@tailwindcss/oxide");
  return compiledWith({ compile, Scanner }, { file, css, dir });
}

async function compiledByOwn(file: string, css: string, dir: string): Promise<string | undefined> {
  const [node, oxide] = ["@tailwindcss/node", "@tailwindcss/oxide"].map((name) =>
    found(name, import.meta.dir),
  );
  if (node === undefined || oxide === undefined) return undefined;
  // Not by literal names, because the executable must not embed the native parts.
  const { compile }: Node4 = await import(node);
  const { Scanner }: Oxide4 = await import(oxide);
  const options = { customCssResolver: ownStylesheet };
  return inShadow(await compiledWith({ compile, Scanner }, { file, css, dir, options }));
}

/** Returns the path of a stylesheet that Berth's copy of Tailwind has; undefined for any other. */
async function ownStylesheet(id: string): Promise<string | undefined> {
  if (id === "tailwindcss") return found("tailwindcss/index.css", import.meta.dir);
  return id.startsWith("tailwindcss/")
    ? found(`${id.replace(/\.css$/, "")}.css`, import.meta.dir)
    : undefined;
}

type Stylesheet = { file: string; css: string; dir: string; options?: Record<string, unknown> };

async function compiledWith(
  { compile, Scanner }: Node4 & Oxide4,
  { file, css, dir, options }: Stylesheet,
): Promise<string> {
  const compiler = await compile(css, {
    base: dirname(file),
    from: file,
    shouldRewriteUrls: true,
    onDependency: () => {},
    ...options,
  });
  const { root } = compiler;
  const automatic = root === null ? { base: dir, pattern: "**/*" } : root;
  const sources = automatic === "none" ? [] : [{ ...automatic, negated: false }];
  return compiler.build(new Scanner({ sources: [...sources, ...compiler.sources] }).scan());
}

/**
 * Tailwind 4 gives its variables their initial values by `@property`, which counts in no shadow root: there they
 * get them by a rule, below all others.
 */
function inShadow(css: string): string {
  const values = [...css.matchAll(/@property\s+(--[\w-]+)\s*\{([^}]*)\}/g)].map(([, name, body = ""]) => {
    const value = /initial-value:\s*([^;]*)/.exec(body)?.[1]?.trim();
    return `${name}: ${value ?? "initial"};`;
  });
  if (values.length === 0) return css;
  const rule = `*, ::before, ::after, ::backdrop { ${values.join(" ")} }`;
  return `@layer properties;\n${css}\n@layer properties { ${rule} }\n`;
}

type Config3 = { content?: unknown; [key: string]: unknown };
type Postcss = (plugins: unknown[]) => {
  process(css: string, options: { from: string }): Promise<{ css: string }>;
};

async function compiledBy3(file: string, css: string, path: string): Promise<string> {
  const own = async <Module>(name: string, folder = dirname(path)): Promise<Module> =>
    (await import(Bun.resolveSync(name, folder))).default;
  const tailwind = await own<(config: Config3) => unknown>("tailwindcss");
  const load = await own<(path: string) => Config3>("tailwindcss/loadConfig");
  const postcss = await own<Postcss>(
    "postcss",
    dirname(Bun.resolveSync("tailwindcss/package.json", dirname(path))),
  );
  const config = load(path);
  const content = absolute(config.content, dirname(path));
  return (await postcss([tailwind({ ...config, content })]).process(css, { from: file })).css;
}

/** Globs count from the working directory, which is the server's and not the project's. */
function absolute(content: unknown, dir: string): unknown {
  if (Array.isArray(content))
    return content.map((glob) =>
      typeof glob !== "string"
        ? glob
        : glob.startsWith("!")
          ? `!${resolve(dir, glob.slice(1))}`
          : resolve(dir, glob),
    );
  if (typeof content !== "object" || content === null || !("files" in content)) return content;
  return { ...content, files: absolute(content.files, dir), relative: false };
}

function found(name: string, folder: string): string | undefined {
  try {
    return Bun.resolveSync(name, folder);
  } catch {
    return undefined;
  }
}
