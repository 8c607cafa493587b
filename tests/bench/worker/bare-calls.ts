import { Command, MemorySaver } from "@langchain/langgraph";
import { graph as approval } from "../project/approval.ts";
import { graph as brisk } from "../project/brisk.ts";
import { graph as computes } from "../project/computes.ts";
import { graph as echo } from "../project/echo.ts";
import { graph as flat } from "../project/flat.ts";
import { graph as steps } from "../project/steps.ts";
import { graph as timed } from "../project/timed.ts";
import { graph as tokens } from "../project/tokens.ts";
import { graph as tools } from "../project/tools.ts";
import { type Calls, expectValues, INPUTS } from "./calls.ts";
import type { GraphName } from "./job.ts";

/** The graphs as they are exported, without a saver. */
export const STATELESS = { echo, flat, tokens, timed, steps, approval, brisk, computes, tools };

/** The bare limit: the same graphs in this process with no server; threads live in the in-memory saver. */
export function bareCalls(): Calls {
  const checkpointer = new MemorySaver();
  const kept = {
    echo: echo.builder.compile({ checkpointer }),
    flat: flat.builder.compile({ checkpointer }),
    tokens: tokens.builder.compile({ checkpointer }),
    timed: timed.builder.compile({ checkpointer }),
    steps: steps.builder.compile({ checkpointer }),
    approval: approval.builder.compile({ checkpointer }),
    brisk: brisk.builder.compile({ checkpointer }),
    computes: computes.builder.compile({ checkpointer }),
    tools: tools.builder.compile({ checkpointer }),
  };
  const on = (thread: string) => ({ configurable: { thread_id: thread } });
  const run = async (graph: GraphName, thread?: string): Promise<void> => {
    const input = INPUTS[graph];
    const values = thread ? kept[graph].invoke(input, on(thread)) : STATELESS[graph].invoke(input);
    expectValues(graph, await values);
  };
  return {
    run,
    async interruptAndResume(thread) {
      await kept.approval.invoke(INPUTS.approval, on(thread));
      expectValues("approval", await kept.approval.invoke(new Command({ resume: "yes" }), on(thread)));
    },
    async stream(graph) {
      const startedAt = performance.now();
      let firstAt = Number.NaN;
      let lastAt = Number.NaN;
      let count = 0;
      for await (const [message] of await STATELESS[graph].stream(INPUTS[graph], {
        streamMode: "messages",
      })) {
        if (message.content !== `t${count} `) continue;
        lastAt = performance.now();
        if (count === 0) firstAt = lastAt;
        count += 1;
      }
      const closedAt = performance.now();
      return () => ({
        firstTokenMs: firstAt - startedAt,
        firstEventMs: firstAt - startedAt,
        firstToLastTokenMs: lastAt - firstAt,
        lastEventToCloseMs: closedAt - lastAt,
        tokens: count,
      });
    },
    async fill(graph, thread, turns) {
      for (let turn = 0; turn < turns; turn += 1) await run(graph, thread);
    },
    async state(graph, thread) {
      expectValues(graph, (await kept[graph].getState(on(thread))).values);
    },
    async history(graph, thread, limit) {
      let seen = 0;
      for await (const _ of kept[graph].getStateHistory(on(thread), { limit })) seen += 1;
      if (seen !== limit) throw new Error(`${seen} states instead of ${limit}`);
    },
  };
}
