import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NAMES } from "../../server/cli/deploy/connection.ts";
import { everySetting, type ReadSetting } from "../../server/config.ts";
import { type Meaning, meanings } from "../../server/setting-meanings.ts";
import { ROOT } from "../smoke/program.ts";
import { code, fence, made, page, table } from "./markdown.ts";

const HEAD = `# Configuration

After this page you can set anything that Berth can be told. It needs no configuration to start.

A flag beats the environment, the environment beats \`.dev.vars\`, and that beats \`.env\`, both in the project's folder (without a project, where Berth is started). A value that cannot be used is told in one line at start, and the process ends with 1. A name that resembles a setting and is none is a warning in the log. \`berth config\` shows [what is in force and where it came from](operations.md#is-it-well). What is on or off takes \`true\` and \`false\` (\`1\`, \`yes\`, \`on\`, \`0\`, \`no\` and \`off\`, too). Names in parentheses are aliases, those of the official server. A secret can also be the text of a file that \`NAME_FILE\` names, so that it is in no environment; the two do not go together. Durations are in the unit that the name or the text says; \`…_SECONDS\`, \`…_SECS\` and \`…_S\` are seconds, \`…_MS\` milliseconds.`;

/** `docs/configuration.md`: what the settings module reads, by area. */
export function settingsPage(): string {
  const read = new Map(everySetting().map((setting) => [setting.names[0] ?? "", setting]));
  const areas = Object.entries<Record<string, Meaning>>(meanings).map(([area, ofArea]) =>
    page(`## ${area}`, table(["Name", "Default", "Takes", "Meaning"], rowsOf(ofArea, read))).trimEnd(),
  );
  return page(HEAD, made("`server/config.ts`"), ...areas, commandSettings(), templateSettings());
}

function rowsOf(area: Record<string, Meaning>, read: Map<string, ReadSetting>): string[][] {
  return Object.entries(area).map(([name, meaning]) => {
    const setting = read.get(name);
    if (!setting) throw new Error(`${name} is described in server/setting-meanings.ts, and nobody reads it`);
    const aliases = setting.names.slice(1).map(code).join(", ");
    const usual = typeof meaning === "string" ? defaultOf(setting.fallback) : meaning.usual;
    const means = typeof meaning === "string" ? meaning : meaning.means;
    const file = setting.isSecret ? `, or in a file: ${code(`${name}_FILE`)}` : "";
    return [`${code(name)}${aliases && ` (${aliases})`}${file}`, usual, setting.takes, means];
  });
}

function defaultOf(fallback: unknown): string {
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) return "none";
  if (typeof fallback === "object" && !Array.isArray(fallback)) return "none";
  return code(String(fallback));
}

const COMMAND_SETTINGS: Record<keyof typeof NAMES, [flag: string, means: string]> = {
  apiKey: ["--api-key", "the key; asked for in a terminal when the server wants one"],
  endpoint: ["--host-url", "where Berth is; `http://127.0.0.1:8123` unless set"],
  tenantId: ["", "the workspace, for a key of a whole organization"],
  deployment: ["--name", "the deployment's name; else the folder's"],
};

/** What `berth deploy` and its kind read. */
function commandSettings(): string {
  const rows = Object.entries(COMMAND_SETTINGS).map(([key, [flag, means]]) => {
    const [name = "", ...others] = NAMES[key as keyof typeof NAMES];
    return [code(name), flag && code(flag), others.map(code).join(", "), means];
  });
  return page(
    "## The commands that deploy",
    "`berth deploy` and the commands beside it read these from the environment, then from `.env` in the folder where they are called. [Deploying](deploy.md#settings) says what is sent where.",
    table(["Name", "Flag", "Also read", "Meaning"], rows),
  ).trimEnd();
}

/** What the built-in templates read, in the words that come with a new project. */
function templateSettings(): string {
  const example = readFileSync(join(ROOT, "agent", "templates", "every-project", ".env.example"), "utf8");
  return page(
    "## Models of the templates",
    "A project reads whatever it likes from its environment. The built-in templates read what their `.env.example` says:",
    fence("ini", example),
    "`OPENAI_API_KEY` (and `OPENAI_BASE_URL`) is also what a store that [searches by meaning](agent-server.md#store) with a model of OpenAI uses. `LANGCHAIN_CALLBACKS_BACKGROUND` is always set to `false`: LangChain loses tokens of fast models otherwise.",
  ).trimEnd();
}
