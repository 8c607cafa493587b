import { expect, test } from "bun:test";
import { until } from "../e2e/condition.ts";
import { because, testUnless } from "../skips.ts";
import { type ServedCase, send } from "./case.ts";

type Message = { content: unknown };
type Values = { log?: unknown[]; plain?: unknown[]; msgs?: Message[]; pm?: Message[]; n?: number };
type State = {
  values: Values;
  next: string[];
  checkpoint: { checkpoint_id: string };
  metadata: { run_id?: string; source?: string };
};

/** Number of turns of the conversation that the tests read: more than one snapshot. */
const TURNS = 6;

/**
 * Declares tests of a graph whose delta channels (`log`, `msgs`) receive the same writes as its plain ones (`plain`,
 * `pm`). So all reads have to show the same in both.
 */
export function deltaTests(
  served: ServedCase,
  graph: string,
  { losesFirstUpdate = false }: { losesFirstUpdate?: boolean } = {},
): void {
  const call = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await send(served, method, path, text);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text === "" ? undefined : JSON.parse(answer.text);
  };
  const create = async (): Promise<string> => (await call("POST", "/threads", {})).thread_id;
  const turn = (thread: string, n: number, more: object = {}) =>
    call("POST", `/threads/${thread}/runs/wait`, { assistant_id: graph, input: input(n), ...more });
  const stateOf = (thread: string): Promise<State> => call("GET", `/threads/${thread}/state`);
  const historyOf = (thread: string): Promise<State[]> =>
    call("POST", `/threads/${thread}/history`, { limit: 1000 });
  const expectEverywhere = async (thread: string, texts: unknown[]) => {
    const shown: Values[] = [(await stateOf(thread)).values];
    shown.push((await call("GET", `/threads/${thread}`)).values);
    for (const found of await call("POST", "/threads/search", { ids: [thread] })) shown.push(found.values);
    const [newest, ...older] = await historyOf(thread);
    shown.push(newest?.values ?? {});
    for (const values of shown) expect(values.log).toEqual(texts);
    for (const values of [...shown, ...older.map((state) => state.values)]) expectAgreement(values);
  };
  const conversation = async () => {
    const thread = await create();
    for (let n = 1; n <= TURNS; n += 1) expectAgreement(await turn(thread, n));
    return { thread, texts: textsOf(TURNS) };
  };

  test("reads of a conversation show the values of a plain channel", async () => {
    const { thread, texts } = await conversation();
    await expectEverywhere(thread, texts);
    const [run] = await call("GET", `/threads/${thread}/runs`);
    const joined = await call("GET", `/threads/${thread}/runs/${run.run_id}/join`);
    expect(joined.log).toEqual(texts);
    const found = await call("POST", "/threads/search", { values: { log: ["in3", "out3"] } });
    expect(found.map((one: { thread_id: string }) => one.thread_id)).toContain(thread);
    const history = await historyOf(thread);
    for (const state of history.slice(0, 8)) {
      const at = await call("GET", `/threads/${thread}/state/${state.checkpoint.checkpoint_id}`);
      expect(at.values).toEqual(state.values);
    }
  });

  test("a run on an older checkpoint, a copy and a pruned thread go on from the right values", async () => {
    const { thread, texts } = await conversation();
    const copy: string = (await call("POST", `/threads/${thread}/copy`)).thread_id;
    await expectEverywhere(copy, texts);
    await turn(copy, 7);
    await expectEverywhere(copy, textsOf(7));
    const old = (await historyOf(thread)).find(({ values, next }) => values.n === 2 && next.length === 0);
    const forked = await turn(thread, 9, { checkpoint_id: old?.checkpoint.checkpoint_id });
    expect(forked.log).toEqual([...textsOf(2), "in9", "out9", "second"]);
    await expectEverywhere(thread, forked.log);
    await call("POST", "/threads/prune", { thread_ids: [thread], strategy: "keep_latest" });
    await expectEverywhere(thread, forked.log);
    await turn(thread, 10);
    await expectEverywhere(thread, [...forked.log, "in10", "out10", "second"]);
  });

  test("states stay right when a run is deleted", async () => {
    const { thread, texts } = await conversation();
    const runs: { run_id: string }[] = (await call("GET", `/threads/${thread}/runs?limit=100`)).reverse();
    const middle = runs[2];
    for (const run of [runs[0], middle]) {
      await call("DELETE", `/threads/${thread}/runs/${run?.run_id}`);
      await expectEverywhere(thread, texts);
      const history = await historyOf(thread);
      expect(history.filter(({ metadata }) => metadata.run_id === run?.run_id)).toEqual([]);
    }
    await call("DELETE", `/threads/${thread}/runs/${runs.at(-1)?.run_id}`);
    await expectEverywhere(thread, textsOf(TURNS - 1));
    await turn(thread, 8);
    await expectEverywhere(thread, [...textsOf(TURNS - 1), "in8", "out8", "second"]);
    await call("POST", "/threads/prune", { thread_ids: [thread], strategy: "keep_latest" });
    await expectEverywhere(thread, [...textsOf(TURNS - 1), "in8", "out8", "second"]);
  });

  test("a paused thread is updated and resumed", async () => {
    const thread = await create();
    await turn(thread, 1);
    await turn(thread, -1);
    const asked = [...textsOf(1), "in-1"];
    await expectEverywhere(thread, asked);
    const update = { values: { log: ["edited"], plain: ["edited"] } };
    await call("POST", `/threads/${thread}/state`, update);
    await expectEverywhere(thread, [...asked, "edited"]);
    const resumed = await call("POST", `/threads/${thread}/runs/wait`, {
      ...{ assistant_id: graph, command: { resume: "A" } },
    });
    expectAgreement(resumed);
    await expectEverywhere(thread, resumed.log);
  });

  const loses = because(
    losesFirstUpdate,
    "this version of LangGraph loses the first update of an empty thread",
  );
  testUnless(loses)("a thread is made from supersteps", async () => {
    const steps = [
      { updates: [{ values: input(1), as_node: "__start__" }] },
      { updates: [{ values: { log: ["x"], plain: ["x"] }, as_node: "node" }] },
    ];
    const made = await call("POST", "/threads", {
      metadata: { graph_id: graph },
      supersteps: steps,
    });
    await expectEverywhere(made.thread_id, ["in1", "x"]);
    await turn(made.thread_id, 2);
    await expectEverywhere(made.thread_id, ["in1", "x", "in2", "out2", "second"]);
  });

  test("webhooks carry the values", async () => {
    const thread = await create();
    await turn(thread, 1);
    const bodies: { values: Values }[] = [];
    using receiver = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        bodies.push((await request.json()) as { values: Values });
        return new Response();
      },
    });
    await turn(thread, 2, { webhook: `http://127.0.0.1:${receiver.port}/` });
    await until("the webhook to arrive", async () => bodies.length > 0);
    expect(bodies.map(({ values }) => values.log)).toEqual([textsOf(2)]);
  });
}

const human = (text: string) => [{ type: "human", content: text, id: `id-${text}` }];

function input(n: number) {
  const text = `in${n}`;
  return { log: [text], plain: [text], msgs: human(text), pm: human(text), n };
}

const textsOf = (turns: number): string[] =>
  Array.from({ length: turns }, (_, at) => [`in${at + 1}`, `out${at + 1}`, "second"]).flat();

function expectAgreement({ log = [], plain = [], msgs = [], pm = [] }: Values): void {
  expect(log).toEqual(plain);
  expect(contents(msgs)).toEqual(contents(pm));
}

const contents = (messages: Message[]) => messages.map(({ content }) => content);
