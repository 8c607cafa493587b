import { setTimeout as sleep } from "node:timers/promises";
import { AIMessage } from "@langchain/core/messages";
import {
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

type State = typeof MessagesAnnotation.State;
type Block = Record<string, unknown>;
type Does = (config: LangGraphRunnableConfig) => string | Block[] | Promise<string | Block[]>;

/** Longer than a kit waits before it subscribes. */
const LONG_MS = 5_000;
const file = { type: "file", mimeType: "text/plain", metadata: { filename: "output.txt" } };

/** What the agent does by the beginning of the message's id, as the public conformance kits steer theirs. */
const BY_ID: [prefix: string, does: Does][] = [
  ["tck-complete-task", () => "Hello from TCK"],
  [
    "tck-reject-task",
    () => {
      throw new Error("Task rejected");
    },
  ],
  ["tck-artifact-text", () => "Generated text content"],
  ["tck-stream-artifact-text", () => "Streamed text content"],
  ["tck-artifact-file-url", () => [{ ...file, url: "https://example.com/output.txt" }]],
  ["tck-artifact-file", () => [{ ...file, data: btoa("content of the file") }]],
  ["tck-stream-artifact-file", () => [{ ...file, data: btoa("content of the file") }]],
  ["tck-artifact-data", () => [{ type: "data", data: { key: "value", count: 42 } }]],
  ["tck-stream-artifact-chunked", () => "chunk 1 chunk 2"],
  ["tck-message-response", () => "Direct message response"],
  ["tck-stream-", () => "Streamed"],
  ["test-resubscribe-message-id", (config) => slowly(LONG_MS, config)],
  ["slow-", (config) => slowly(60_000, config)],
];

async function slowly(ms: number, { signal }: LangGraphRunnableConfig): Promise<string> {
  await sleep(ms, undefined, { signal });
  return "Done at last";
}

async function act({ messages }: State, config: LangGraphRunnableConfig) {
  const id = String(messages.findLast((message) => message.getType() === "human")?.id);
  const [, does] = BY_ID.find(([prefix]) => id.startsWith(prefix)) ?? [];
  // A message that says nothing of it leaves the task open.
  const content = does ? await does(config) : `You said: ${interrupt<string, string>("What now?")}`;
  return { messages: [new AIMessage({ content: content as string })] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("act", act)
  .addEdge(START, "act")
  .addEdge("act", END)
  .compile();
