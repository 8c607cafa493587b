/**
 * Chat messages on the wire, as LangGraph's message reducer takes them: the flattened objects that this
 * server sends, and the `{role, content}` form of chat APIs. (draft-07)
 */
export const messageDefinitions = {
  Message: {
    type: "object",
    properties: {
      type: {
        type: "string",
        enum: ["human", "ai", "system", "tool", "function", "developer", "remove", "AIMessageChunk"],
      },
      role: { type: "string", description: "May stand for `type`, as in chat APIs" },
      content: {
        anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/definitions/ContentBlock" } }],
      },
      id: { type: ["string", "null"] },
      name: { type: ["string", "null"] },
      additional_kwargs: { type: "object" },
      response_metadata: { type: "object" },
      tool_calls: { type: "array", items: { $ref: "#/definitions/ToolCall" } },
      invalid_tool_calls: { type: "array", items: { type: "object" } },
      usage_metadata: { type: ["object", "null"] },
      tool_call_id: { type: "string" },
      status: { type: "string", enum: ["success", "error"] },
      artifact: {},
    },
    required: ["content"],
    anyOf: [{ required: ["type"] }, { required: ["role"] }],
  },
  ContentBlock: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
  ToolCall: {
    type: "object",
    properties: {
      id: { type: ["string", "null"] },
      name: { type: "string" },
      args: { type: "object" },
      type: { type: "string", enum: ["tool_call"] },
    },
    required: ["name", "args"],
  },
};

/** A list of messages; stands beside {@link messageDefinitions} in the same document. */
export const messageList = { type: "array", items: { $ref: "#/definitions/Message" } };
