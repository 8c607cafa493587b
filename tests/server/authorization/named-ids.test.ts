import { expect, test } from "bun:test";
import {
  assistantRules,
  Guard,
  type PermitRule,
  runRules,
  threadRules,
} from "../../../server/authorization/index.ts";

const ID = "0190abcd-aaaa-7bbb-8ccc-0123456789ab";

/** Returns the `value` of each question that a rule asks the handlers. */
async function valuesOf(rule: PermitRule, body: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const values: Record<string, unknown>[] = [];
  const auth = {
    ask: async (_: unknown, { value }: { value: Record<string, unknown> }) => {
      values.push(value);
      return undefined;
    },
  };
  const agent = {
    project: { graphs: {} },
    assistants: { get: async () => ({ metadata: {} }) },
    threads: { find: async () => undefined },
  };
  const user = { identity: "ada", permissions: [] };
  const guard = new Guard({ auth, agent } as never, user as never);
  await rule.ask(guard, { path: {}, query: {}, body });
  return values;
}

// Paths and queries are in lower case when a rule sees them.
test.each<[string, PermitRule, Record<string, unknown>, string]>([
  ["POST /threads", threadRules.create, { thread_id: ID.toUpperCase() }, "thread_id"],
  ["POST /threads/prune", threadRules.prune, { thread_ids: [ID.toUpperCase()] }, "thread_id"],
  ["POST /runs/cancel", runRules.cancelMany, { thread_id: ID.toUpperCase(), run_ids: [ID] }, "thread_id"],
  [
    "POST /assistants",
    assistantRules.create,
    { assistant_id: ID.toUpperCase(), graph_id: "g" },
    "assistant_id",
  ],
  ["POST /runs", runRules.create, { assistant_id: ID.toUpperCase() }, "assistant_id"],
])("a handler sees the id that the operation uses: %s", async (_, rule, body, member) => {
  const values = await valuesOf(rule, body);
  expect(new Set(values.map((value) => value[member]))).toEqual(new Set([ID]));
});
