import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginnings } from "../../agent/templates/index.ts";
import { berthCommand } from "../e2e/command.ts";

const scratch = mkdtempSync(join(tmpdir(), "berth-new-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const source = join(import.meta.dir, "..", "..", "agent", "templates");
const newProject = (...args: string[]) => berthCommand(["new", ...args], { cwd: scratch });

describe("new", () => {
  test("writes a template's files, called like the folder, and says what comes next", async () => {
    const { code, stdout, stderr } = await newProject("my-agent", "--template", "deep-agent");
    expect([code, stderr]).toEqual([0, ""]);
    for (const line of ["Made my-agent", "cd my-agent", "berth dev", "berth deploy"])
      expect(stdout).toContain(line);
    const folder = join(scratch, "my-agent");
    const text = (name: string) => readFileSync(join(folder, name), "utf8");
    expect(JSON.parse(text("package.json")).name).toBe("my-agent");
    expect(readdirSync(folder)).toContain(".gitignore");
    const agent = readFileSync(join(source, "deep-agent", "agent.ts"), "utf8");
    expect(text("agent.ts")).toBe(agent.replaceAll("../every-project/", "./"));
  });

  test("fills an empty folder, also one that is a repository already, but no other", async () => {
    mkdirSync(join(scratch, "repository", ".git"), { recursive: true });
    expect((await newProject("repository", "--template", "chat")).code).toBe(0);
    const again = await newProject("repository", "--template", "chat");
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toMatch(/^berth: .*repository is not empty[^\n]*\n$/);
    writeFileSync(join(scratch, "a-file"), "");
    expect((await newProject("a-file", "--template", "chat")).stderr).toContain("is a file");
  });

  test("without a template, or with one that is not there, lists those that are", async () => {
    for (const args of [["x"], ["x", "--template", "nothing"]]) {
      const { code, stderr } = await newProject(...args);
      expect(code).toBe(1);
      expect(stderr).toContain(Object.keys(beginnings()).join(", "));
    }
    expect((await newProject("x", "--tempalte", "chat")).stderr).toContain("unknown option --tempalte");
    expect(readdirSync(scratch)).not.toContain("x");
  });

  test("the help names every template", async () => {
    const { stdout } = await newProject("--help");
    const words = stdout.split(/[^\w-]+/);
    expect(Object.keys(beginnings()).filter((name) => !words.includes(name))).toEqual([]);
  });
});
