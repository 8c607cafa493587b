import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  /** With a path, the process dies once between the answer and the end. */
  marker: Annotation<string | undefined>,
  said: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

/** Asks, and writes the answer down. */
export const graph = new StateGraph(State)
  .addNode("ask", () => ({ said: [`answer: ${interrupt("well?")}`] }))
  .addNode("close", async ({ marker }) => {
    if (marker && !existsSync(marker)) {
      writeFileSync(marker, "");
      await sleep(50);
      // From outside: Berth lets no graph kill its process by itself.
      spawnSync("kill", ["-9", String(process.pid)]);
    }
    return { said: ["closed"] };
  })
  .addEdge(START, "ask")
  .addEdge("ask", "close")
  .addEdge("close", END)
  .compile();
