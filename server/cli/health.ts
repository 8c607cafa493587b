import { type ArgsDef, defineCommand } from "citty";
import { publicUrlOf, readSettings } from "../settings/index.ts";
import { checkArguments } from "./arguments.ts";
import { environmentFile, judgedEnvironment } from "./environment-file.ts";
import { failWith } from "./fail.ts";
import { flags } from "./start.ts";

const args = {
  port: { ...flags.port, description: "Port of that Berth (default 8123)" },
  host: { ...flags.host, description: "Address of that Berth (default 127.0.0.1)" },
  "env-file": environmentFile,
} satisfies ArgsDef;

const PATIENCE_MS = 5_000;

export const health = defineCommand({
  meta: {
    name: "health",
    description: "Ask a running Berth whether it is well; exit code 1 if it is not, or does not answer",
  },
  args,
  run: async ({ args: { port, host, "env-file": file }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
      const settings = readSettings({ PORT: port, HOST: host }, judgedEnvironment(file, process.env), ".");
      const url = `${publicUrlOf({ ...settings, publicUrl: null }, settings.port)}/ok?check_db=1`;
      const { isWell, said } = await answerOf(url);
      process.stdout.write(`${said}\n`);
      // What else goes on in this process has nothing to add.
      if (!isWell) process.exitCode = 1;
    } catch (error) {
      failWith(error);
    }
  },
});

async function answerOf(url: string): Promise<{ isWell: boolean; said: string }> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "manual" });
    const text = await answer.text();
    return { isWell: answer.ok, said: answer.ok ? "ok" : `${answer.status} ${text}` };
  } catch (error) {
    return {
      isWell: false,
      said: `${url} does not answer: ${error instanceof Error ? error.message : error}`,
    };
  }
}
