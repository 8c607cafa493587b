import {
  useLangChainInterruptState,
  useLangChainRespond,
  useStreamRuntime,
} from "@assistant-ui/react-langchain";
import { createRoot } from "react-dom/client";
import { apiKey, apiUrl, assistantId } from "./settings.ts";
import { Question, Thread } from "./thread.tsx";

function Asked() {
  const interrupt = useLangChainInterruptState();
  const respond = useLangChainRespond();
  return <Question value={interrupt?.value} approve={() => void respond("approve")} />;
}

function App() {
  const runtime = useStreamRuntime({ apiUrl, apiKey, assistantId });
  return <Thread runtime={runtime} question={<Asked />} />;
}

createRoot(document.body.appendChild(document.createElement("main"))).render(<App />);
