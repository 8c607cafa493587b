import { exit } from "node:process";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ how: Annotation<string>, left: Annotation<boolean> });

const ways: Record<string, () => void> = {
  exit: () => process.exit(3),
  imported: () => exit(4),
  required: () => require("node:process").exit(5),
  reallyExit: () => (process as unknown as { reallyExit(code: number): void }).reallyExit(6),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid, "SIGKILL"),
  group: () => process.kill(0, "SIGTERM"),
  later: () => void setTimeout(() => process.exit(7), 1),
  rejected: () => void Promise.reject(new Error("nobody minds")),
  probe: () => void process.kill(process.pid, 0),
};

export const leaves = new StateGraph(State)
  .addNode("leave", ({ how }) => {
    ways[how]?.();
    return { left: false };
  })
  .addEdge(START, "leave")
  .addEdge("leave", END)
  .compile();
