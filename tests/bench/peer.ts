import { basename, join } from "node:path";
import { PROJECT } from "./options.ts";

const FOLDER = join(import.meta.dir, "peer");
/** For projects on a LangGraph that is older than the peer asks for. */
export const OLDER_PEER = join(import.meta.dir, "peer-older");
const cliIn = (folder: string) => join(folder, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
const PEER_CLI = cliIn(FOLDER);

/**
 * Installs the peer at first use. Its own LangGraph is left out: it then finds the repository's, which is also the
 * one that the graphs import, so that all three targets run the same code.
 * @returns its command
 */
export async function installPeer(folder = FOLDER): Promise<string> {
  const cli = cliIn(folder);
  if (await Bun.file(cli).exists()) return cli;
  console.error(`installing the peer into tests/bench/${basename(folder)} ...`);
  const command = [process.execPath, "install", "--frozen-lockfile", "--omit=peer"];
  const install = Bun.spawn(command, { cwd: folder, stdout: "ignore", stderr: "pipe" });
  if ((await install.exited) !== 0) throw new Error(`no peer: ${await new Response(install.stderr).text()}`);
  return cli;
}

/** The peer's own CLI on Bun. It writes beside its configuration, so that it gets one in a folder of its own. */
export async function peerCommand(
  port: number,
  folder: string,
  { project = PROJECT }: { project?: string } = {},
): Promise<string[]> {
  const { graphs }: { graphs: Record<string, string> } = await Bun.file(join(project, "graph.json")).json();
  const absolute = Object.entries(graphs).map(([name, path]) => [name, join(project, path)]);
  const config = join(folder, "langgraph.json");
  await Bun.write(config, JSON.stringify({ dependencies: ["."], graphs: Object.fromEntries(absolute) }));
  return [
    ...[process.execPath, PEER_CLI, "dev", "--no-browser", "--no-reload"],
    ...["--host", "127.0.0.1", "--port", `${port}`, "--config", config],
  ];
}
