import { join } from "node:path";
import { rawTarGz } from "../control/build/raw-tar.ts";

/** A project as its files. */
export type ProjectFiles = Record<string, string>;

const bundles = new Map<string, Promise<string>>();

function bundleOf(name: string): Promise<string> {
  const made = async () => {
    const entry = join(import.meta.dir, name);
    const { outputs, success, logs } = await Bun.build({ entrypoints: [entry], target: "bun" });
    const [output] = outputs;
    if (!success || !output) throw new Error(logs.join("\n"));
    return output.text();
  };
  const bundle = bundles.get(name) ?? made();
  bundles.set(name, bundle);
  return bundle;
}

/** LangGraph in one file, so that a project needs no package and its build no network. */
export const langGraphBundle = (): Promise<string> => bundleOf("tiny-langgraph.ts");

/** The same of the SDK: its client, and what says who may call. */
export const sdkBundle = (): Promise<string> => bundleOf("tiny-sdk.ts");

/** A project whose graph `agent` says `answer` and who it is; a slow one waits as many milliseconds first. */
export async function tinyAgent(answer: string, slowMs = 0): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation, pid: Annotation });
const say = async () => {
  await new Promise((resolve) => setTimeout(resolve, ${slowMs}));
  return { said: ${JSON.stringify(answer)} + (process.env.SUFFIX ?? ""), pid: process.pid };
};
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`,
  };
}

/** A project as an archive. */
export const archiveOf = (files: ProjectFiles): Uint8Array<ArrayBuffer> =>
  new Uint8Array(rawTarGz(Object.entries(files).map(([name, content]) => ({ name, content }))));
