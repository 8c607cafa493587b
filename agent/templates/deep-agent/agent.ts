// The browser entry leaves out only the backends for real files and shells, and starts a tenth faster.
import { createDeepAgent } from "deepagents/browser";
import { todoListMiddleware, toolErrorMiddleware } from "langchain";
import { chooseModel } from "../every-project/model.ts";
import { getWeather, searchNotes, sendEmail } from "./tools.ts";

const subagents = [
  {
    name: "researcher",
    description: "Gathers notes about a subject and reports what it found.",
    systemPrompt: "Search the notes before you answer. Report what you found, and nothing else.",
    tools: [searchNotes],
  },
  {
    name: "writer",
    description: "Turns notes into a short summary.",
    systemPrompt: "Write a clear summary of the notes that you are given, in one paragraph.",
    tools: [],
  },
];

/** A planner with a todo list, two subagents and a tool that a person approves. The server brings the checkpointer. */
export const graph = createDeepAgent({
  name: "deep-agent",
  model: await chooseModel(),
  systemPrompt:
    "You are a capable assistant. Plan work of several steps with the todo list, " +
    "let the researcher gather notes and then the writer summarise them.",
  tools: [getWeather, sendEmail],
  subagents,
  middleware: [
    todoListMiddleware(),
    // Without it a tool that throws ends the run; with it the model reads the error and goes on.
    toolErrorMiddleware({ onError: (error) => (error instanceof Error ? error.message : String(error)) }),
  ],
  interruptOn: { send_email: true },
});
