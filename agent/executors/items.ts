import type { ItemsStore } from "@berth/store";
import { BaseStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";

/** The store that graphs see in an executor: the process at the other end has the items. */
class RemoteItems extends BaseStore {
  constructor(private readonly ask: (operations: string) => Promise<string>) {
    super();
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    return revived(await this.ask(JSON.stringify(operations))) as OperationResults<Op>;
  }
}

/** @param ask takes operations and gives their results, both as JSON */
export const remoteItems = (ask: (operations: string) => Promise<string>): Pick<ItemsStore, "batch"> =>
  new RemoteItems(ask);

/** Runs operations that came as JSON; their results as JSON. */
export async function batchOfText(items: Pick<ItemsStore, "batch">, operations: string): Promise<string> {
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
