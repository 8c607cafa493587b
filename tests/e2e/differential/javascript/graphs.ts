// Twenty graphs and the requests to each. They run standalone and through Berth with the same result.
import { AIMessage, type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  entrypoint,
  getWriter,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Overwrite,
  Send,
  START,
  StateGraph,
  task,
} from "@langchain/langgraph";
import { z } from "zod";

const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  number: Annotation<number>,
  text: Annotation<string>,
  answer: Annotation<unknown>,
});
type LogState = typeof Log.State;

const says =
  (name: string, more: Partial<LogState> = {}) =>
  () => ({ log: [name], ...more });

export const straight = new StateGraph(Log)
  .addNode("one", says("one"))
  .addNode("two", says("two", { number: 2 }))
  .addNode("three", says("three"))
  .addEdge(START, "one")
  .addEdge("one", "two")
  .addEdge("two", "three")
  .addEdge("three", END)
  .compile();

export const branches = new StateGraph(Log)
  .addNode("left", says("left"))
  .addNode("right", says("right"))
  .addConditionalEdges(START, ({ number }) => (number < 0 ? "left" : "right"), ["left", "right"])
  .addEdge("left", END)
  .addEdge("right", END)
  .compile();

export const loop = new StateGraph(Log)
  .addNode("count", ({ number }) => ({ number: number + 1, log: [`at ${number}`] }))
  .addEdge(START, "count")
  .addConditionalEdges("count", ({ number }) => (number >= 4 ? END : "count"), ["count", END])
  .compile();

export const parallel = new StateGraph(Log)
  .addNode("a", says("a"))
  .addNode("b", says("b"))
  .addNode("join", says("join"))
  .addEdge(START, "a")
  .addEdge(START, "b")
  .addEdge(["a", "b"], "join")
  .addEdge("join", END)
  .compile();

export const fanOut = new StateGraph(Log)
  .addNode("part", ({ number }) => ({ log: [`part ${number}`] }))
  .addNode("end", says("end"))
  .addConditionalEdges(START, () => [0, 1, 2].map((number) => new Send("part", { number })), ["part"])
  .addEdge("part", "end")
  .addEdge("end", END)
  .compile();

const Inner = Annotation.Root({ log: Log.spec.log, secret: Annotation<string> });
const inner = new StateGraph(Inner)
  .addNode("open", () => ({ log: ["open"], secret: "hidden" }))
  .addNode("shut", says("shut"))
  .addEdge(START, "open")
  .addEdge("open", "shut")
  .addEdge("shut", END)
  .compile();

export const subgraph = new StateGraph(Log)
  .addNode("before", says("before"))
  .addNode("inner", inner)
  .addNode("after", says("after"))
  .addEdge(START, "before")
  .addEdge("before", "inner")
  .addEdge("inner", "after")
  .addEdge("after", END)
  .compile();

export const deeper = new StateGraph(Log)
  .addNode("outer", subgraph)
  .addNode("last", says("last"))
  .addEdge(START, "outer")
  .addEdge("outer", "last")
  .addEdge("last", END)
  .compile();

const ask = (question: string) => () => ({ answer: interrupt({ question }), log: ["answered"] });

export const asks = new StateGraph(Log)
  .addNode("before", says("before"))
  .addNode("ask", ask("go on?"))
  .addNode("after", says("after"))
  .addEdge(START, "before")
  .addEdge("before", "ask")
  .addEdge("ask", "after")
  .addEdge("after", END)
  .compile();

const asking = new StateGraph(Log).addNode("ask", ask("inside?")).addEdge(START, "ask").compile();
export const asksInside = new StateGraph(Log)
  .addNode("before", says("before"))
  .addNode("inner", asking)
  .addNode("after", says("after"))
  .addEdge(START, "before")
  .addEdge("before", "inner")
  .addEdge("inner", "after")
  .addEdge("after", END)
  .compile();

export const asksTwice = new StateGraph(Log)
  .addNode("twice", () => ({ answer: [interrupt("first?"), interrupt("second?")], log: ["both"] }))
  .addEdge(START, "twice")
  .addEdge("twice", END)
  .compile();

export const asksTogether = new StateGraph(Log)
  .addNode("one", () => ({ log: [`one ${interrupt("one?")}`] }))
  .addNode("other", () => ({ log: [`other ${interrupt("other?")}`] }))
  .addEdge(START, "one")
  .addEdge(START, "other")
  .addEdge("one", END)
  .addEdge("other", END)
  .compile();

export const stops = new StateGraph(Log)
  .addNode("one", says("one"))
  .addNode("two", says("two"))
  .addNode("three", says("three"))
  .addEdge(START, "one")
  .addEdge("one", "two")
  .addEdge("two", "three")
  .addEdge("three", END)
  .compile({ interruptBefore: ["two"] });

export const jumps = new StateGraph(Log)
  .addNode(
    "jump",
    ({ number }) => new Command({ goto: number ? "far" : "near", update: { log: ["jumped"] } }),
    {
      ends: ["near", "far"],
    },
  )
  .addNode("near", says("near"))
  .addNode("far", says("far"))
  .addEdge(START, "jump")
  .addEdge("near", END)
  .addEdge("far", END)
  .compile();

const leaving = new StateGraph(Log)
  .addNode("out", () => new Command({ graph: Command.PARENT, goto: "elsewhere", update: { log: ["left"] } }))
  .addEdge(START, "out");
export const leaves = new StateGraph(Log)
  .addNode("inner", leaving.compile(), { ends: ["elsewhere"] })
  .addNode("elsewhere", says("elsewhere"))
  .addEdge(START, "inner")
  .addEdge("elsewhere", END)
  .compile();

let failures = 2;
export const retries = new StateGraph(Log)
  .addNode(
    "flaky",
    () => {
      failures -= 1;
      if (failures >= 0) throw new Error("not yet");
      return { log: ["at last"] };
    },
    { retryPolicy: { maxAttempts: 5, initialInterval: 10, retryOn: () => true, logWarning: false } },
  )
  .addEdge(START, "flaky")
  .addEdge("flaky", END)
  .compile();

export const fails = new StateGraph(Log)
  .addNode("one", says("one"))
  .addNode("fail", () => {
    throw new RangeError("it does not work");
  })
  .addEdge(START, "one")
  .addEdge("one", "fail")
  .addEdge("fail", END)
  .compile();

export const custom = new StateGraph(Log)
  .addNode("writes", (_: LogState, config: LangGraphRunnableConfig) => {
    for (let at = 0; at < 3; at += 1) (config.writer ?? getWriter())?.({ at });
    return { log: ["wrote"] };
  })
  .addEdge(START, "writes")
  .addEdge("writes", END)
  .compile();

export const conversation = new StateGraph(MessagesAnnotation)
  .addNode("answer", ({ messages }) => ({
    messages: [new AIMessage({ content: `I have read ${messages.length}`, id: `a${messages.length}` })],
  }))
  .addNode("forget", ({ messages }: { messages: BaseMessage[] }) => ({
    messages: [new RemoveMessage({ id: messages[0]?.id ?? "" })],
  }))
  .addEdge(START, "answer")
  .addEdge("answer", "forget")
  .addEdge("forget", END)
  .compile();

export const overwrites = new StateGraph(Log)
  .addNode("add", says("added"))
  .addNode("reset", () => ({ log: new Overwrite(["only this"]) as unknown as string[] }))
  .addEdge(START, "add")
  .addEdge("add", "reset")
  .addEdge("reset", END)
  .compile();

const Checked = z.object({ number: z.number(), text: z.string().optional() });
export const validates = new StateGraph(Checked)
  .addNode("one", ({ number }) => ({ text: `${number + 1}` }))
  .addEdge(START, "one")
  .addEdge("one", END)
  .compile();

const square = task("square", async (number: number) => number * number);
export const functional = entrypoint("functional", async (numbers: number[]) => {
  const squares = await Promise.all(numbers.map((number) => square(number)));
  const answer = interrupt({ squares });
  return { squares, answer };
});

const said = (content: string, id: string) => ({ messages: [{ type: "human", content, id }] });

/** Requests to each graph, one after the other. */
export const scripts: Record<string, { input?: unknown; resume?: unknown }[]> = {
  straight: [{ input: { log: ["start"] } }, { input: { text: "again" } }],
  branches: [{ input: { number: -1 } }, { input: { number: 1 } }],
  loop: [{ input: { number: 0 } }],
  parallel: [{ input: { log: [] } }],
  fanOut: [{ input: { log: [] } }],
  subgraph: [{ input: { log: [] } }],
  deeper: [{ input: { log: [] } }],
  asks: [{ input: { log: [] } }, { resume: "yes" }],
  asksInside: [{ input: { log: [] } }, { resume: { deep: true } }],
  asksTwice: [{ input: { log: [] } }, { resume: 1 }, { resume: 2 }],
  asksTogether: [{ input: { log: [] } }],
  stops: [{ input: { log: [] } }, { input: null }],
  jumps: [{ input: { number: 0 } }, { input: { number: 1 } }],
  leaves: [{ input: { log: [] } }],
  retries: [{ input: { log: [] } }],
  fails: [{ input: { log: [] } }],
  custom: [{ input: { log: [] } }],
  conversation: [{ input: said("hello", "h1") }, { input: said("again", "h2") }],
  overwrites: [{ input: { log: ["start"] } }],
  validates: [{ input: { number: 4 } }],
  functional: [{ input: [2, 3] }, { resume: "fine" }],
};
