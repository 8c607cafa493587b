import { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { CountingModel } from "./model.ts";

type Messages = typeof MessagesAnnotation.State;

const model = new CountingModel();

/** A model, streamed. */
export const chat = new StateGraph(MessagesAnnotation)
  .addNode("answer", async ({ messages }: Messages, config: RunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  }))
  .addEdge(START, "answer")
  .addEdge("answer", END)
  .compile();

const Fanned = Annotation.Root({
  words: Annotation<string[]>,
  lengths: Annotation<number[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

/** A task for each word. */
export const fan = new StateGraph(Fanned)
  .addNode("measure", (state: unknown) => ({ lengths: [(state as { word: string }).word.length] }))
  .addConditionalEdges(START, ({ words }: typeof Fanned.State) =>
    words.map((word) => new Send("measure", { word })),
  )
  .addEdge("measure", END)
  .compile();

/** Counts its visits in the store. */
export const memo = new StateGraph(MessagesAnnotation)
  .addNode("remember", async (_: Messages, { store }: LangGraphRunnableConfig) => {
    const item = await store?.get(["visits"], "count");
    const count = ((item?.value.count as number | undefined) ?? 0) + 1;
    await store?.put(["visits"], "count", { count });
    return { messages: [new AIMessage(`visit ${count}`)] };
  })
  .addEdge(START, "remember")
  .addEdge("remember", END)
  .compile();

const Configured = Annotation.Root({ tone: Annotation<string> });

/** Reads its configuration. */
export const configured = new StateGraph(MessagesAnnotation, Configured)
  .addNode("speak", (_: Messages, { configurable }: RunnableConfig) => ({
    messages: [new AIMessage(`in a ${String(configurable?.tone ?? "plain")} tone`)],
  }))
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();
