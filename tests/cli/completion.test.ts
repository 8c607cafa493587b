import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { berthCommand } from "../e2e/command.ts";
import { because, testUnless } from "../skips.ts";
import { run } from "../smoke/program.ts";

let folder: string;
const scriptOf = (shell: string) => join(folder, shell);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "berth-completion-"));
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout, stderr } = await berthCommand(["completion", shell]);
    expect([shell, code, stderr]).toEqual([shell, 0, ""]);
    await Bun.write(scriptOf(shell), stdout);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Has the shell itself complete a line whose last word is unfinished; gives the words that it offers. */
const SHELLS: Record<string, (words: string[]) => string> = {
  bash: (words) => `source ${scriptOf("bash")}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_berth; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // `_describe` is what shows them, in a terminal only.
  zsh: (words) => `autoload -Uz compinit && compinit -u -d ${folder}/dump
source ${scriptOf("zsh")}
_describe() { print -l -- "\${(@)\${(@P)2}%%:*}" }
_files() { print files }
words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}
_berth`,
  fish: (words) => `source ${scriptOf("fish")}
complete -C '${words.join(" ")}' | string split -f1 \\t`,
};

describe.each(Object.entries(SHELLS))("%s", (shell, scriptFor) => {
  const complete = async (...words: string[]) => {
    const flags = shell === "zsh" ? ["-f"] : [];
    const { code, out, err } = await run([shell, ...flags, "-c", scriptFor(words)], folder);
    expect({ shell, code, err }).toEqual({ shell, code: 0, err: "" });
    return out.split("\n").filter((word) => word !== "");
  };
  testUnless(because(!Bun.which(shell), `${shell} is not installed`))(
    "completes commands, those below them, and options",
    async () => {
      expect(await complete("berth", "")).toEqual(expect.arrayContaining(["start", "deploy", "help"]));
      expect(await complete("berth", "")).not.toContain("check-database");
      expect(await complete("berth", "deploy", "")).toEqual(expect.arrayContaining(["list", "rollback"]));
      expect(await complete("berth", "deploy", "revisions", "")).toContain("list");
      expect(await complete("berth", "deploy", "revisions", "")).not.toContain("rollback");
      const options = await complete("berth", "start", "--port", "8", "--");
      expect(options).toEqual(expect.arrayContaining(["--project", "--data"]));
      expect(options).not.toContain("--scope");
      expect(await complete("berth", "keys", "create", "--")).toContain("--scope");
    },
  );
});

test("another shell is refused by name", async () => {
  const { code, stdout, stderr } = await berthCommand(["completion", "tcsh"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe('berth: there is no completion for "tcsh", only for bash, zsh, fish\n');
});
