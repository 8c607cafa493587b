import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, globSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { LinkChecker } from "linkinator";
import { everySetting } from "../../server/settings/config.ts";
import { everyCommand } from "../docs/commands-page.ts";
import { type ApiDocument, operationsOf } from "../docs/document.ts";
import { everyPage, type Fence, fencesOf, textOf } from "../docs/fences.ts";
import { callsIn, faultOf } from "../docs/mentions.ts";
import { madePages } from "../docs/pages.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type Berth, ROOT, run, SOURCES, startBerth, temporaryFolder } from "./program.ts";

const pages = everyPage();
const fences = pages.flatMap(fencesOf);
const toRun = Map.groupBy(
  fences.filter(({ mark }) => mark === "run"),
  ({ page }) => page,
);
const folder = temporaryFolder();
let berth: Berth;
let document: ApiDocument;

beforeAll(async () => {
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  // One of the pages receives a webhook on this machine.
  berth = await startBerth(SOURCES, { cwd: folder.path, env: { WEBHOOK_ALLOW: "127.0.0.0/8" } });
  document = await (await fetch(`${berth.url}/openapi.json`)).json();
});
afterAll(async () => {
  await berth?.[Symbol.asyncDispose]();
  folder.remove();
});

describe("what the pages show works", () => {
  test("the README and the quick start have blocks to run", () =>
    expect([...toRun.keys()]).toEqual(expect.arrayContaining(["README.md", "docs/quick-start.md"])));

  test.each([...toRun.keys()])(
    "%s",
    async (page) => {
      for (const block of toRun.get(page) ?? []) {
        const { code, out, err } = await run(await command(block), folder.path);
        const where = placeOf(block);
        expect({ where, code, err: code === 0 ? "" : err + out }).toEqual({ where, code: 0, err: "" });
        expect({ where, silent: out.trim() === "" }).toEqual({ where, silent: false });
      }
    },
    TEST_LIMIT_MS,
  );
});

/** The block as a program, with the address of this test's Berth in the place of the default one. */
async function command(block: Fence): Promise<string[]> {
  const text = block.text.replaceAll(/http:\/\/(127\.0\.0\.1|localhost):8123/g, berth.url);
  if (block.language === "sh")
    return ["bash", "-euo", "pipefail", "-c", text.replaceAll("curl ", "curl --fail-with-body ")];
  const file = join(folder.path, `${block.page.replaceAll("/", "-")}-${block.line}.ts`);
  await Bun.write(file, text);
  return [process.execPath, file];
}

const placeOf = ({ page, line }: Fence) => `${page}:${line}`;

/** What is wrong with a block that is not run; languages that are not here are not looked at. */
const reading: Record<string, (text: string) => unknown> = {
  json: (text) => JSON.parse(text),
  yaml: (text) => Bun.YAML.parse(text),
  ts: (text) => new Bun.Transpiler({ loader: "ts" }).transformSync(text),
  tsx: (text) => new Bun.Transpiler({ loader: "tsx" }).transformSync(text),
  sh: (text) => accepts(["bash", "-n", "-c", text]),
  python: (text) => accepts(["python3", "-c", "import ast, sys; ast.parse(sys.argv[1])", text]),
};

/** Where the program is not there, nothing is said of the text. */
function accepts(command: [string, ...string[]]): void {
  if (!Bun.which(command[0])) return;
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

test("every example can at least be read: JSON, YAML, TypeScript, Python, shell", () => {
  const wrong = fences.flatMap((fence) => {
    try {
      reading[fence.language]?.(fence.text);
      return [];
    } catch (error) {
      return [`${placeOf(fence)}: ${error instanceof Error ? error.message : error}`];
    }
  });
  expect(wrong).toEqual([]);
});

test("a component of a page that is complete, with its imports, compiles as pasted into a fresh project", async () => {
  const complete = fences.filter(({ language, text }) => language === "tsx" && text.startsWith("import "));
  expect(complete.map(({ page }) => page)).toEqual(["docs/use-stream.md", "docs/use-stream.md"]);
  const fresh = temporaryFolder();
  try {
    symlinkSync(join(ROOT, "node_modules"), join(fresh.path, "node_modules"));
    const files = complete.map(({ line, text }) => ({ path: `line-${line}.tsx`, text }));
    await Promise.all(files.map(({ path, text }) => Bun.write(join(fresh.path, path), text)));
    const compilerOptions = {
      ...{ strict: true, noEmit: true, jsx: "react-jsx", skipLibCheck: true, types: [] },
      ...{ target: "ES2022", lib: ["ES2022", "DOM"], module: "ESNext", moduleResolution: "bundler" },
    };
    const include = files.map(({ path }) => path);
    await Bun.write(join(fresh.path, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    const { code, out, err } = await run([join(ROOT, "node_modules/.bin/tsc"), "-p", fresh.path], fresh.path);
    expect({ code, said: out + err }).toEqual({ code: 0, said: "" });
  } finally {
    fresh.remove();
  }
});

test("the pages that are made from the code are up to date (bun tests/docs/main.ts makes them)", async () => {
  const made = await madePages(document);
  const stale = [...made].filter(([path, text]) => !existsSync(join(ROOT, path)) || textOf(path) !== text);
  expect(stale.map(([path]) => path)).toEqual([]);
  const left = pages.filter((page) => page.startsWith("docs/api/") && !made.has(page));
  expect(left).toEqual([]);
});

test("docs/README.md leads to every page of docs/", () => {
  const index = textOf("docs/README.md");
  const wanted = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md");
  expect(wanted.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
});

test("each page says first what one can do after it", () => {
  const written = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md");
  const silent = written.filter((page) => !/^# .+\n\nAfter this page /.test(textOf(page)));
  expect(silent).toEqual([]);
});

/** Pages whose tables are written by hand, with what is to be said about an operation. */
const API_PAGES = ["agent-server", "control-plane", "issue-api", "traces", "operations"];

test("the pages about the API name every operation that there is, and no other", () => {
  const served = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  const text = API_PAGES.map((name) => textOf(`docs/${name}.md`)).join("\n");
  const named = [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)].map(([, name = ""]) => name);
  expect([...new Set(named)].sort()).toEqual(served.sort());
});

test("every setting, command and option has its line", async () => {
  const settings = everySetting().flatMap(({ names }) => names);
  expect(settings.length).toBeGreaterThan(40);
  const configuration = textOf("docs/configuration.md");
  expect(settings.filter((name) => !configuration.includes(`\`${name}\``))).toEqual([]);
  const cli = textOf("docs/cli.md").split(/^## /m);
  const missing = (await everyCommand()).flatMap(({ path, places, options }) => {
    const section = cli.find((part) => part.startsWith(`${path}\n`)) ?? "";
    const labels = [...places, ...options].map(([label]) => label.trim().replaceAll("|", "\\|"));
    return labels.filter((label) => !section.includes(`\`${label}\``)).map((label) => `${path} ${label}`);
  });
  expect(missing).toEqual([]);
});

/** The link checker serves the pages itself, on a port that it chooses; 8123 is a Berth in an example. */
const OWN_SERVER = /^http:\/\/(?:localhost|127\.0\.0\.1):(?!812[34]\b)\d+\//;

test("no page shows a command or an option that there is not", async () => {
  const usages = await everyCommand();
  const calls = pages.flatMap((page) => callsIn(page).map((call) => ({ page, call })));
  expect(calls.length).toBeGreaterThan(30);
  const wrong = calls.flatMap(({ page, call }) => {
    const fault = faultOf(call, usages);
    return fault ? [`${page}: ${fault}`] : [];
  });
  expect(wrong).toEqual([]);
});

/** What other programs set, or what programs that Berth starts are told. */
const OF_OTHERS = new Set([
  "NODE_ENV",
  "PATH",
  "LANG",
  "TMPDIR",
  "GIT_DIR",
  "GIT_WORK_TREE",
  "NOTIFY_SOCKET",
]);

test("what the code or a template reads from the environment by itself is in the configuration, too", () => {
  const files = globSync("{agent,server,store}/**/*.ts", {
    cwd: ROOT,
    exclude: (path) => /node_modules/.test(path),
  });
  const code = files.map((file) => textOf(file).replaceAll(/\/\*[\s\S]*?\*\//g, "")).join("\n");
  const names = [...code.matchAll(/\b(?:env|environment)\.([A-Z][A-Z_0-9]{2,})/g)].map(
    ([, name = ""]) => name,
  );
  expect(names).toContain("OPENAI_API_KEY");
  const configuration = textOf("docs/configuration.md");
  const untold = [...new Set(names)].filter((name) => !OF_OTHERS.has(name) && !configuration.includes(name));
  expect(untold).toEqual([]);
});

test("every link leads somewhere, to a heading too; other sites are not asked", async () => {
  const { links } = await new LinkChecker().check({
    path: pages,
    serverRoot: ROOT,
    markdown: true,
    checkFragments: true,
    linksToSkip: async (link) => !OWN_SERVER.test(link),
  });
  expect(links.filter(({ state }) => state === "OK").length).toBeGreaterThan(50);
  const broken = links.filter(({ state }) => state === "BROKEN");
  expect(broken.map(({ parent, url, status }) => `${parent}: ${url} (${status})`)).toEqual([]);
});
