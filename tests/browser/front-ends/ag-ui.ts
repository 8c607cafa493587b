// Run in a folder where the packages are installed: ADDRESS KEY ASSISTANT. Prints each event as a line of JSON.
import { LangGraphAgent } from "@ag-ui/langgraph";

const [deploymentUrl = "", langsmithApiKey = "", graphId = ""] = process.argv.slice(2);
const agent = new LangGraphAgent({ deploymentUrl, langsmithApiKey, graphId, threadId: crypto.randomUUID() });
const print = (said: object) => void process.stdout.write(`${JSON.stringify(said)}\n`);

async function run(what: string, resume?: unknown): Promise<void> {
  const forwardedProps = resume === undefined ? {} : { command: { resume } };
  await agent.runAgent(
    { forwardedProps },
    { onEvent: ({ event }) => print({ what, ...event, rawEvent: 0 }) },
  );
}
const say = (content: string) => agent.addMessage({ id: crypto.randomUUID(), role: "user", content });

say("what is the weather in Paris?");
await run("first");
say("send an email to ada@example.com");
await run("second");
await run("resumed", "approve");
print({ what: "end", messages: agent.messages });
