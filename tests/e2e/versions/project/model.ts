import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

/** Answers with how many messages it was given, word by word; calls the tool `weather` when it is asked for it. */
export class CountingModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType() {
    return "counting";
  }

  override bindTools() {
    return this;
  }

  async _generate(messages: BaseMessage[]) {
    const message = answerTo(messages);
    message.response_metadata = { whole: true };
    return { generations: [{ text: String(message.content), message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: unknown,
    manager?: { handleLLMNewToken(token: string): Promise<void> },
  ) {
    const { content, tool_calls = [] } = answerTo(messages);
    const calls = tool_calls.map(({ name, args, id }, index) => {
      return { name, args: JSON.stringify(args), index, type: "tool_call_chunk" as const, ...(id && { id }) };
    });
    if (calls.length > 0) {
      const message = new AIMessageChunk({ content: "", tool_call_chunks: calls });
      yield new ChatGenerationChunk({ text: "", message });
    }
    for (const word of String(content)
      .split(/(?<= )/)
      .filter(Boolean)) {
      yield new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) });
      await manager?.handleLLMNewToken(word);
    }
  }
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  // The first cores have the one, the newest the other.
  const type = last?.getType?.() ?? last?._getType();
  if (last && type === "human" && String(last.content).includes("weather")) {
    const call = {
      name: "weather",
      args: { city: "Bern" },
      id: `call-${messages.length}`,
      type: "tool_call" as const,
    };
    return new AIMessage({ content: "", tool_calls: [call] });
  }
  return new AIMessage(`I have read ${messages.length} messages`);
}
