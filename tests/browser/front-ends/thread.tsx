import {
  type AssistantRuntime,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import type { ReactNode } from "react";

const parts = {
  Text: ({ text }: { text: string }) => <p>{text}</p>,
  tools: {
    Fallback: ({ toolName, result }: { toolName: string; result?: unknown }) => (
      <p data-part="tool">
        {toolName}: {result === undefined ? "…" : String(result)}
      </p>
    ),
  },
};

const Message = ({ by }: { by: string }) => (
  <MessagePrimitive.Root data-part={by}>
    <MessagePrimitive.Parts components={parts} />
  </MessagePrimitive.Root>
);

const UserMessage = () => <Message by="human" />;
const AssistantMessage = () => <Message by="answer" />;

/** assistant-ui's own parts, bare: messages, a question if there is one, and where one writes. */
export const Thread = ({ runtime, question }: { runtime: AssistantRuntime; question: ReactNode }) => (
  <AssistantRuntimeProvider runtime={runtime}>
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Viewport>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        {question}
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input placeholder="Write" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Viewport>
    </ThreadPrimitive.Root>
  </AssistantRuntimeProvider>
);

/** A question of the agent, with one of the answers that it takes. */
export const Question = ({ value, approve }: { value: unknown; approve: () => void }) =>
  value === undefined ? null : (
    <section data-part="question">
      <pre>{JSON.stringify(value)}</pre>
      <button type="button" onClick={approve}>
        Approve
      </button>
    </section>
  );
