import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  DeltaChannel,
  END,
  interrupt,
  MessagesAnnotation,
  messagesDeltaReducer,
  START,
  StateGraph,
} from "@langchain/langgraph";

// Each delta channel has a plain channel beside it that receives the same writes.
const appended = (list: string[], writes: string[][]) => [...(list ?? []), ...writes.flat()];

const State = Annotation.Root({
  log: (() => new DeltaChannel<string[]>(appended, { snapshotFrequency: 4 })) as never,
  plain: Annotation<string[]>({ reducer: (list, more) => [...list, ...more], default: () => [] }),
  msgs: (() => new DeltaChannel<BaseMessage[]>(messagesDeltaReducer, { snapshotFrequency: 4 })) as never,
  pm: MessagesAnnotation.spec.messages,
  n: Annotation<number>,
});

const twice = (text: string) => ({ log: [text], plain: [text] }) as never;

const node = (state: { n?: number }) =>
  state.n === -1 ? twice(`ans${interrupt("q")}`) : twice(`out${state.n ?? 0}`);

const node2 = (state: { n?: number }) => {
  const message = () => [new AIMessage(`m${state.n}`)];
  return { log: ["second"], plain: ["second"], msgs: message(), pm: message() } as never;
};

export const graph = new StateGraph(State)
  .addNode("node", node as never)
  .addNode("node2", node2 as never)
  .addEdge(START, "node")
  .addEdge("node", "node2")
  .addEdge("node2", END)
  .compile();
