import { BaseStore, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import type { ItemOperations } from "../items/index.ts";

/** The store that graph nodes see, in LangGraph's own interface. */
export class ItemsStore extends BaseStore {
  constructor(private readonly operations: Pick<ItemOperations, "batch">) {
    super();
  }

  override batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    return this.operations.batch(operations);
  }
}
