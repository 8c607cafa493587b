import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { templateFiles } from "@berth/agent";
import { run } from "../../smoke/program.ts";

/** A project as people have them, and how one talks to it. */
export type Shape = {
  name: string;
  /** Copies it into a folder; gives the folder of its configuration file. */
  copy(to: string): Promise<string>;
  /** What its README would say: installs its packages, and builds what has to be built. */
  install(at: string): Promise<void>;
  graphs: string[];
  /** What it has in the environment. */
  environment: Record<string, string>;
  headers: Record<string, string>;
  /** What is said when it is served where it lies. */
  warnings: string[];
  /** Parts of the answers to the first and the second message, and of the one that follows on the question. */
  says: { hello: string; again: string; done: string };
  /** Answers its question. */
  answer: unknown;
  /** A file that is open to everybody, and what is in it. */
  file?: { path: string; has: string };
};

const PROJECTS = join(import.meta.dir, "projects");

const common = {
  graphs: ["agent"],
  environment: {},
  headers: {},
  warnings: [],
  says: { hello: "I have read 1 messages", again: "I have read 3 messages", done: "Done: yes" },
  answer: "yes",
};

const bun = (...words: string[]) => [process.execPath, ...words];

async function ran(command: string[], at: string): Promise<void> {
  const { code, out, err } = await run(command, at);
  if (code !== 0) throw new Error(`${command.join(" ")} failed in ${at}:\n${err}${out}`);
}

const install = (at: string) => ran(bun("install", "--frozen-lockfile"), at);

/** One of those in `projects`; `folder` is where in it the configuration file lies. */
function project(name: string, own: Partial<Shape> = {}, folder = ""): Shape {
  const copy = async (to: string) => {
    cpSync(join(PROJECTS, name), to, { recursive: true });
    return join(to, folder);
  };
  return { name, copy, install, ...common, ...own };
}

const SHARED = "packages/shared";

const accept = [{ type: "accept", args: null }];

export const SHAPES: Shape[] = [
  project("yarn-single", {
    warnings: ["copy .env.example to it?", "dockerfile_lines"],
  }),
  project(
    "pnpm-workspace",
    {
      install: async (at) => {
        await install(at);
        await ran(bun("run", "build"), join(at, SHARED));
      },
    },
    "apps/agent",
  ),
  project("auth-factory", {
    environment: { TOKENS: "ada:token-of-ada" },
    headers: { authorization: "Bearer token-of-ada" },
    says: { ...common.says, hello: "ada: I have read 1 messages" },
  }),
  project("email-assistant", {
    graphs: ["email"],
    says: { ...common.says, done: "Done: send" },
    answer: accept,
  }),
  deepAgent(),
  project("generative-ui", { file: { path: "/ui/agent/entrypoint.css", has: ".rounded-md{" } }),
  project("sixteen", { graphs: Array.from({ length: 16 }, (_, at) => `agent${at + 1}`) }),
];

/** A library's repository with a deep agent in `examples/`, which has packages of its own. */
function deepAgent(): Shape {
  const EXAMPLE = "examples/deep-agent";
  return {
    ...common,
    name: "deep-agent",
    copy: async (to) => {
      mkdirSync(join(to, EXAMPLE), { recursive: true });
      writeFileSync(join(to, "package.json"), '{"name":"a-library","private":true,"version":"0.0.0"}');
      for (const [name, text] of Object.entries(templateFiles("deep-agent")))
        writeFileSync(join(to, EXAMPLE, name), text);
      return join(to, EXAMPLE);
    },
    install: (at) => ran(bun("install"), join(at, EXAMPLE)),
    graphs: ["deep-agent"],
    environment: { OFFLINE_TOKEN_MS: "0" },
    says: { hello: "hello", again: "hello again", done: "The email went out." },
    answer: { decisions: [{ type: "approve" }] },
  };
}
