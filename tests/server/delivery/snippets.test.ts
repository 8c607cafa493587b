import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceSignature } from "../../../server/delivery/signature.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { because, testUnless } from "../../skips.ts";

const page = readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "webhooks.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "berth-snippets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program that the documentation shows in a language. */
function snippet(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/webhooks.md shows nothing in ${language}`);
  return found;
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwtYFkMx0a1LQ1Y=";
const body = '{"text":"é \u2028 🌍","score":1.0}';
const good = serviceSignature(new TextEncoder().encode(body), secret);
/** The signature that comes, and whether it is good. */
const cases: [signature: string, isGood: boolean][] = [
  [good, true],
  [good.slice(0, -1), false],
  [good.replace("sha256=", "sha1="), false],
  [serviceSignature(new TextEncoder().encode(`${body} `), secret), false],
  ["é", false],
  ["", false],
];

/** What a program says that reads the body from its input, and signatures from its arguments. */
function said(command: string[], env: Record<string, string> = {}): unknown {
  const run = Bun.spawnSync([...command, secret, ...cases.map(([signature]) => signature)], {
    stdin: new TextEncoder().encode(body),
    cwd: folder,
    env: { ...process.env, ...env },
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return JSON.parse(run.stdout.toString());
}

const expected = cases.map(([, isGood]) => isGood);

/** Whether a command is there and works; version managers put shims in the path of what they have not. */
const works = (...command: string[]) => {
  try {
    return Bun.spawnSync(command, { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0;
  } catch {
    return false;
  }
};

describe("the documentation's check of signatures holds", () => {
  test("in TypeScript", () => {
    const main = [
      "const body = new Uint8Array(await Bun.stdin.arrayBuffer());",
      "const [secret = '', ...signatures] = process.argv.slice(2);",
      "console.log(JSON.stringify(signatures.map((signature) => isFromBerth(body, signature || null, secret))));",
    ];
    expect(said([process.execPath, written("check.ts", snippet("ts") + main.join("\n"))])).toEqual(expected);
  });

  testUnless(because(!works("python3", "-c", "x: str | None = None"), "no Python 3.10 here"))(
    "in Python",
    () => {
      const main = [
        "import json, sys",
        "body = sys.stdin.buffer.read()",
        "print(json.dumps([is_from_berth(body, s or None, sys.argv[1]) for s in sys.argv[2:]]))",
      ];
      expect(said(["python3", written("check.py", snippet("python") + main.join("\n"))])).toEqual(expected);
    },
  );

  testUnless(because(!works("go", "version"), "no Go here"))(
    "in Go",
    () => {
      const main = [
        'import ("encoding/json"; "io"; "os")',
        "func main() {",
        "body, _ := io.ReadAll(os.Stdin)",
        "found := []bool{}",
        "for _, s := range os.Args[2:] { found = append(found, IsFromBerth(body, s, os.Args[1])) }",
        "json.NewEncoder(os.Stdout).Encode(found)",
        "}",
      ];
      const [imports = "", ...rest] = snippet("go").replace("package webhook", "package main").split(/^\)$/m);
      const program = written("check.go", [imports, ")", main[0], ...rest, ...main.slice(1)].join("\n"));
      const cache = { GOCACHE: join(folder, "go"), GOFLAGS: "-mod=mod" };
      expect(said(["go", "run", program], cache)).toEqual(expected);
    },
    TEST_LIMIT_MS,
  );
});
