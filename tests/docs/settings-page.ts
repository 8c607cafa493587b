import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NAMES } from "../../server/cli/deploy/connection.ts";
import { everySetting } from "../../server/settings/config.ts";
import type { DeclaredSetting } from "../../server/settings/setting.ts";
import { ROOT } from "../smoke/program.ts";
import { code, fence, made, page, table } from "./markdown.ts";

const HEAD = `# Configuration

After this page you can change every setting of Berth. Berth needs no configuration to start.

- **Order**: a flag beats the environment, the environment beats \`.dev.vars\`, and \`.dev.vars\` beats \`.env\`. Berth looks for both files in the folder where you start it. \`berth config\` shows [the present values and where they come from](operations.md#is-it-well).
- **With \`BERTH_\` in front**, every name is a setting, too, and beats the name without: \`BERTH_PORT\` is \`PORT\`.
- **Projects**: the \`env\` and the \`.env\` of a project never set Berth, and [a project never sees Berth's settings](your-project.md#env). If the folder where you start Berth has a \`graph.json\` or \`langgraph.json\`, its \`.env\` and \`.dev.vars\` are the project's: only names with \`BERTH_\` are settings there. Exceptions: \`LANGGRAPH_CONFIG\` is about the project's graphs, so the project's \`env\` may set it. Names that begin with \`AWS_\` stay visible, because other programs need them.
- **Mistakes**: if Berth cannot use a value, it says so in one line when it starts, and ends with exit code 1. If a name is almost that of a setting, the log has a warning.
- **On or off**: \`true\` or \`false\` (also \`1\`, \`yes\`, \`on\`, \`0\`, \`no\` and \`off\`).
- **Names in parentheses** are aliases: names that the official server, other tools or an older Berth use.
- **Secrets** can also be in a file, so that they are not in the environment: \`NAME_FILE\` names the file. Set \`NAME\` or \`NAME_FILE\`, not both.
- **Durations** have the unit that the name or the text says: \`…_SECONDS\`, \`…_SECS\` and \`…_S\` are seconds, \`…_MS\` milliseconds.`;

/** `docs/configuration.md`: what the settings module declares, by area. */
export function settingsPage(): string {
  const areas = [...Map.groupBy(everySetting(), ({ area }) => area)].map(([area, settings]) =>
    page(`## ${area}`, table(["Name", "Default", "Takes", "Meaning"], settings.map(rowOf))).trimEnd(),
  );
  return page(HEAD, made("`server/settings/`"), ...areas, commandSettings(), templateSettings());
}

function rowOf({ names, takes, isSecret, fallback, means, usual }: DeclaredSetting): string[] {
  const [name = "", ...others] = names;
  const aliases = others.map(code).join(", ");
  const file = isSecret ? `, or in a file: ${code(`${name}_FILE`)}` : "";
  return [`${code(name)}${aliases && ` (${aliases})`}${file}`, usual ?? defaultOf(fallback), takes, means];
}

function defaultOf(fallback: unknown): string {
  if (fallback === null || (Array.isArray(fallback) && fallback.length === 0)) return "none";
  return code(String(fallback));
}

const COMMAND_SETTINGS: Record<keyof typeof NAMES, [flag: string, means: string]> = {
  apiKey: [
    "--api-key",
    "the key. If the server wants one and you gave none, the command asks for it in a terminal",
  ],
  endpoint: ["--host-url", "the address of Berth; `http://127.0.0.1:8123` by default"],
  tenantId: ["", "the workspace, if the key is for a whole organization"],
  deployment: ["--name", "the deployment's name; the folder's name by default"],
};

/** What `berth deploy` and its kind read. */
function commandSettings(): string {
  const rows = Object.entries(COMMAND_SETTINGS).map(([key, [flag, means]]) => {
    const [name = "", ...others] = NAMES[key as keyof typeof NAMES];
    return [code(name), flag && code(flag), others.map(code).join(", "), means];
  });
  return page(
    "## The commands that deploy",
    "`berth deploy` and its subcommands read these settings from the environment, then from `.env` in the current folder, then from `.env` in the folder that `--config` names. [Deploying](deploy.md#settings) says more.",
    table(["Name", "Flag", "Also read", "Meaning"], rows),
  ).trimEnd();
}

/** What the built-in templates read, in the words that come with a new project. */
function templateSettings(): string {
  const example = readFileSync(join(ROOT, "agent", "templates", "every-project", ".env.example"), "utf8");
  return page(
    "## Models of the templates",
    "A project may read anything from its environment. The built-in templates read what their `.env.example` says:",
    fence("ini", example),
    "A store that [searches by meaning](agent-server.md#store) with a model of OpenAI also uses `OPENAI_API_KEY` (and `OPENAI_BASE_URL`). Berth always sets `LANGCHAIN_CALLBACKS_BACKGROUND` to `false`, because LangChain otherwise loses tokens of fast models.",
  ).trimEnd();
}
