import type { ItemOperations } from "@berth/store";
import type { Operation, OperationResults } from "@langchain/langgraph-checkpoint";

type ItemsAsked = Pick<ItemOperations, "batch">;

/** @param ask takes operations and gives their results, both as JSON: the process at the other end has the items */
export const remoteItems = (ask: (operations: string) => Promise<string>): ItemsAsked => ({
  batch: async <Op extends Operation[]>(operations: Op) =>
    revived(await ask(JSON.stringify(operations))) as OperationResults<Op>,
});

/** Runs operations that came as JSON; their results as JSON. */
export async function batchOfText(items: ItemsAsked, operations: string): Promise<string> {
  return JSON.stringify(await items.batch(JSON.parse(operations)));
}

/** JSON knows neither `undefined` nor dates, which items have. */
function revived(results: string): unknown[] {
  const read: unknown[] = JSON.parse(results);
  return read.map((result) => {
    if (result === null) return undefined;
    return Array.isArray(result) ? result.map(dated) : dated(result);
  });
}

function dated(item: unknown): unknown {
  if (typeof item !== "object" || item === null || !("createdAt" in item) || !("updatedAt" in item))
    return item;
  return {
    ...item,
    createdAt: new Date(String(item.createdAt)),
    updatedAt: new Date(String(item.updatedAt)),
  };
}
