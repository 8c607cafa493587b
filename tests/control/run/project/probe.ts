import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { Annotation, type LangGraphRunnableConfig, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  /** Files to read, folders to list, files to write, links to make (`from -> to`). */
  read: Annotation<string[]>(),
  list: Annotation<string[]>(),
  write: Annotation<string[]>(),
  link: Annotation<string[]>(),
  /** A command that is started and left behind, in a session of its own. */
  leave: Annotation<string[]>(),
  /** Every outcome by what was tried. */
  outcome: Annotation<Record<string, string>>(),
  env: Annotation<Record<string, string | undefined>>(),
  who: Annotation<{ pid: number; uid: number | undefined; groups: number[] | undefined; umask: number }>(),
  /** What of the request the graph was told. */
  configurable: Annotation<string[]>(),
});

const attempt = (work: () => unknown): string => {
  try {
    return `done: ${String(work()).slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
};

export const graph = new StateGraph(State)
  .addNode("look", (state, config: LangGraphRunnableConfig) => {
    const outcome: Record<string, string> = {};
    for (const path of state.read ?? []) outcome[path] = attempt(() => readFileSync(path, "utf8"));
    for (const path of state.list ?? []) outcome[path] = attempt(() => readdirSync(path).join(" "));
    for (const path of state.write ?? []) outcome[path] = attempt(() => writeFileSync(path, "mine"));
    for (const link of state.link ?? []) {
      const [from = "", to = ""] = link.split(" -> ");
      outcome[link] = attempt(() => symlinkSync(to, from));
    }
    if (state.leave) {
      const left = Bun.spawn(state.leave, { stdio: ["ignore", "ignore", "ignore"], detached: true });
      outcome.left = String(left.pid);
    }
    const { pid, getuid, getgroups } = process;
    return {
      outcome,
      env: { ...process.env },
      who: { pid, uid: getuid?.(), groups: getgroups?.(), umask: process.umask() },
      configurable: Object.keys(config.configurable ?? {}),
    };
  })
  .addEdge("__start__", "look")
  .compile();
