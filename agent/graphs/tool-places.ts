/** Where a tool call runs: the path of its task. The graph's stream names the graph only. */
export type ToolPlace = { tool_call_id: string; namespace: string[] };

/** A callback handler that says where each tool call runs, before the graph's stream tells of the call. */
export function toolPlaces(emit: (place: ToolPlace) => void) {
  return {
    name: "tool-places",
    awaitHandlers: true,
    ignoreLLM: true,
    ignoreChain: true,
    // Covers tools as well.
    ignoreAgent: false,
    ignoreRetriever: true,
    ignoreCustomEvent: true,
    raiseError: false,
    handleToolStart: (
      _tool: unknown,
      _input: unknown,
      _run: string,
      _parent: unknown,
      _tags: unknown,
      metadata: Record<string, unknown> | undefined,
      _name: unknown,
      tool_call_id: string | undefined,
    ) => {
      const ns = metadata?.langgraph_checkpoint_ns;
      if (typeof ns === "string" && ns !== "" && tool_call_id) {
        emit({ tool_call_id, namespace: ns.split("|") });
      }
    },
  };
}
