import type {
  GetOperation,
  ListNamespacesOperation,
  Operation,
  OperationResults,
  PutOperation,
  SearchItem,
  SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Item, Items } from "./items.ts";

/** What graph nodes do with the store: the same items as `/store` serves, by LangGraph's own operations. */
export class ItemOperations {
  constructor(private readonly items: Items) {}

  /**
   * Runs operations together: reads see what was there before the batch, and of several puts to one key the
   * last one counts, as in LangGraph's own stores.
   */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    const puts = operations.filter(isPut);
    if (puts.length > 0) await this.items.putAll(puts);
    return results as OperationResults<Op>;
  }

  #read(operation: Operation): Promise<unknown> {
    if (isPut(operation)) return Promise.resolve(undefined);
    if (isSearch(operation)) return this.#search(operation);
    if (isGet(operation)) return this.#get(operation);
    return this.#listNamespaces(operation);
  }

  async #get({ namespace, key }: GetOperation) {
    const item = await this.items.get(namespace, key);
    return item && graphItem(item);
  }

  async #search({ namespacePrefix, filter, limit = 10, offset = 0, query }: SearchOperation) {
    const items = await this.items.search({ prefix: namespacePrefix, filter, limit, offset, query });
    return items.map((item): SearchItem => ({ ...graphItem(item), score: item.score ?? undefined }));
  }

  #listNamespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation) {
    const path = (type: "prefix" | "suffix") =>
      matchConditions.find((condition) => condition.matchType === type)?.path;
    return this.items.listNamespaces({
      prefix: path("prefix"),
      suffix: path("suffix"),
      max_depth: maxDepth,
      limit: limit ?? 100,
      offset: offset ?? 0,
    });
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return "value" in operation;
}

function isSearch(operation: Operation): operation is SearchOperation {
  return "namespacePrefix" in operation;
}

function isGet(operation: Operation): operation is GetOperation {
  return "key" in operation;
}

function graphItem(item: Item) {
  return {
    namespace: item.namespace,
    key: item.key,
    value: item.value,
    createdAt: new Date(item.created_at),
    updatedAt: new Date(item.updated_at),
  };
}
