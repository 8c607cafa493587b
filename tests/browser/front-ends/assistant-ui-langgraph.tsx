import {
  unstable_createLangGraphStream,
  useLangGraphInterruptState,
  useLangGraphRuntime,
  useLangGraphSendCommand,
} from "@assistant-ui/react-langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { createRoot } from "react-dom/client";
import { apiKey, apiUrl, assistantId } from "./settings.ts";
import { Question, Thread } from "./thread.tsx";

const client = new Client({ apiUrl, apiKey });
const stream = unstable_createLangGraphStream({ client, assistantId });

function Asked() {
  const interrupt = useLangGraphInterruptState();
  const send = useLangGraphSendCommand();
  return <Question value={interrupt?.value} approve={() => void send({ resume: "approve" })} />;
}

function App() {
  const runtime = useLangGraphRuntime({
    stream,
    create: async () => ({ externalId: (await client.threads.create()).thread_id }),
    load: async (externalId) => {
      const { values, tasks } = await client.threads.getState<{ messages?: never[] }>(externalId);
      return { messages: values.messages ?? [], interrupts: tasks[0]?.interrupts as never };
    },
  });
  return <Thread runtime={runtime} question={<Asked />} />;
}

createRoot(document.body.appendChild(document.createElement("main"))).render(<App />);
