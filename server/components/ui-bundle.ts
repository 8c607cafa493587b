import { basename, dirname, relative } from "node:path";
import type { UiConfig } from "@berth/agent";
import { Unavailable } from "@berth/store";
import type { BunPlugin } from "bun";
import { compileTailwind } from "./tailwind.ts";

/** What a page loads of a graph's components. */
export type UiBundle = { files: ReadonlyMap<string, { body: Blob; type: string }> };

/** What the page has already, and lends (`agent-server.md` §14). */
const LENT = [
  "react",
  "react-dom",
  "react/jsx-runtime",
  "react/jsx-dev-runtime",
  "@langchain/langgraph-sdk/react",
  "@langchain/langgraph-sdk/react-ui",
];

/** The global that a graph's script leaves for its `onload`. */
export const uiGlobal = (graph: string): string => `__LGUI_${graph.replaceAll(/\W/g, "_")}`;

/** A graph's components cannot be bundled; says where and why, the places relative to the module that exports them. */
export class UiFault extends Unavailable {
  override name = "UiFault";
}

/**
 * Bundles a graph's components for the browser.
 * @throws UiFault
 */
export async function bundleUi(ui: UiConfig, graph: string): Promise<UiBundle | undefined> {
  const module = Object.hasOwn(ui.modules, graph) ? ui.modules[graph] : undefined;
  if (module === undefined) return undefined;
  const { outputs } = await bundled(module, graph, ui).catch((error) => {
    const faults = codeFaults(error, (file) => relative(dirname(module), file));
    const why = faults.join("; ") || (error instanceof Error ? error.message : String(error));
    throw new UiFault(`The components of the graph "${graph}" cannot be bundled: ${why}`, { cause: error });
  });
  const files = outputs.map((file): [string, { body: Blob; type: string }] => {
    const isStyle = basename(file.path).endsWith(".css");
    const name = isStyle
      ? "entrypoint.css"
      : file.kind === "entry-point"
        ? "entrypoint.js"
        : basename(file.path);
    return [name, { body: file, type: file.type }];
  });
  return { files: new Map(files) };
}

const bundled = (module: string, graph: string, { shared, dir }: UiConfig) =>
  Bun.build({
    entrypoints: [ENTRY],
    target: "browser",
    format: "iife",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [entry(module, graph), lent([...LENT, ...shared]), tailwind(dir)],
  });

const ENTRY = "berth-ui-entrypoint";

function entry(module: string, graph: string): BunPlugin {
  const contents = `
    import components from ${JSON.stringify(module)};
    globalThis[${JSON.stringify(uiGlobal(graph))}] = {
      render(name, shadowRootId) {
        const target = document.createElement("div");
        document.getElementById(shadowRootId)?.shadowRoot?.append(target);
        globalThis[Symbol.for("LGUI_EXT_STORE")].respond(shadowRootId, components[name], target);
      },
    };`;
  return {
    name: "ui-entrypoint",
    setup(build) {
      build.onResolve({ filter: /^berth-ui-entrypoint$/ }, () => ({
        path: "entrypoint",
        namespace: "ui-entrypoint",
      }));
      build.onLoad({ filter: /.*/, namespace: "ui-entrypoint" }, () => ({ contents, loader: "js" }));
    },
  };
}

/** Two copies of React in one tree do not work: the page's own is asked for when the script runs. */
function lent(names: readonly string[]): BunPlugin {
  const known = new Set(names);
  return {
    name: "ui-lent",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) =>
        known.has(path) ? { path, namespace: "ui-lent" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "ui-lent" }, ({ path }) => ({
        contents: borrow(path),
        loader: "js",
      }));
    },
  };
}

function borrow(name: string): string {
  const ask = (wanted: string) => `globalThis[Symbol.for("LGUI_REQUIRE")](${JSON.stringify(wanted)})`;
  if (name !== "react/jsx-dev-runtime") return `module.exports = ${ask(name)};`;
  // Pages lend the runtime of production only.
  return `const runtime = ${ask("react/jsx-runtime")};
    module.exports = { ...runtime, jsxDEV: (type, props, key) => runtime.jsx(type, props, key) };`;
}

/** Other stylesheets are left to the bundler. */
const tailwind = (dir: string): BunPlugin => ({
  name: "ui-tailwind",
  setup(build) {
    build.onLoad({ filter: /\.css$/, namespace: "file" }, async ({ path }) => {
      const text = await Bun.file(path).text();
      return { contents: (await compileTailwind(path, text, dir)) ?? text, loader: "css" };
    });
  },
});

type Position = { file: string; line: number; column: number };

/** Faults of one file's syntax that are told; the first one usually makes the others. */
const MOST_FAULTS = 3;

/**
 * What the runtime and its bundler say of modules that they cannot read, with the place of each; none for other
 * failures.
 * @param shown makes of an absolute path what is told
 */
export function codeFaults(cause: unknown, shown = (file: string) => file): string[] {
  const faults: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  const told = faults.flatMap((fault) => {
    if (typeof fault !== "object" || fault === null || !("position" in fault)) return [];
    const { message, position } = fault as { message?: string; position: Position | null };
    if (!position) return [];
    // What a plugin of ours says is of the whole file.
    const place = position.line > 0 ? `:${position.line}:${position.column}` : "";
    return [`${shown(position.file)}${place}: ${message}`];
  });
  return told.slice(0, MOST_FAULTS);
}
