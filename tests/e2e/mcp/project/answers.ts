import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

type Content = string | Record<string, unknown>[];

const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const answering = (content: () => Content) =>
  new StateGraph(MessagesAnnotation)
    .addNode("answer", () => ({ messages: [new AIMessage({ content: content() } as { content: string })] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();

/** The graphs that the protocol's conformance suite calls by their names; each answers with what it asks for. */
export const simpleText = answering(() => "This is a simple text response for testing.");
export const image = answering(() => [{ type: "image", data: RED_PIXEL, mimeType: "image/png" }]);
export const audio = answering(() => [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }]);
export const embeddedResource = answering(() => [
  {
    type: "file",
    url: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource content.",
  },
]);
export const multipleContentTypes = answering(() => [
  { type: "text", text: "Multiple content types test:" },
  { type: "image_url", image_url: { url: `data:image/png;base64,${RED_PIXEL}` } },
  {
    type: "file",
    mimeType: "application/json",
    text: '{"test":"data","value":123}',
    metadata: { filename: "mixed.json" },
  },
]);
export const failing = answering(() => {
  throw new Error("This tool intentionally returns an error for testing");
});
