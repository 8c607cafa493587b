import { useStream } from "@langchain/langgraph-sdk/react";
import {
  isRemoveUIMessage,
  isUIMessage,
  LoadExternalComponent,
  type UIMessage,
  uiMessageReducer,
} from "@langchain/langgraph-sdk/react-ui";
import { createRoot } from "react-dom/client";

type Said = { id?: string; type: string; content: unknown };
type State = { messages: Said[]; ui?: UIMessage[] };

const apiUrl = new URLSearchParams(location.search).get("url") ?? "";

/** Components as Agent Chat UI draws them: those of the state's `ui`, told early by custom events, by their message. */
function Page() {
  const stream = useStream<State, { CustomEventType: unknown }>({
    apiUrl,
    assistantId: "agent",
    onCustomEvent: (event, { mutate }) => {
      if (isUIMessage(event) || isRemoveUIMessage(event))
        mutate(({ ui = [] }) => ({ ui: uiMessageReducer(ui, event) }));
    },
  });
  const say = (content: string) => stream.submit({ messages: [{ type: "human", content }] });
  return (
    <main>
      {stream.messages.map((message) => (
        <section key={message.id} data-part={message.type}>
          <p>{String(message.content)}</p>
          {stream.values.ui
            ?.filter(({ metadata }) => (metadata?.message_id ?? metadata?.id) === message.id)
            .map((ui) => (
              <LoadExternalComponent key={ui.id} stream={stream as never} message={ui} meta={{ ui }} />
            ))}
        </section>
      ))}
      <button type="button" onClick={() => say("What is the weather?")}>
        Ask
      </button>
    </main>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(<Page />);
