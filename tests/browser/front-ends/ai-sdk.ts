// Run in a folder where the packages are installed: ADDRESS KEY ASSISTANT. Prints each chunk as a line of JSON.
import { LangSmithDeploymentTransport } from "@ai-sdk/langchain";
import { readUIMessageStream, type UIMessage } from "ai";

const [url = "", apiKey = "", graphId = ""] = process.argv.slice(2);
const transport = new LangSmithDeploymentTransport({ url, apiKey, graphId });
const messages: UIMessage[] = [];
const print = (said: object) => void process.stdout.write(`${JSON.stringify(said)}\n`);

/** As `useChat` does: the answer joins the messages, and all of them go with the next one. */
async function say(text: string): Promise<void> {
  messages.push({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] });
  const [told, read] = (
    await transport.sendMessages({
      ...{ trigger: "submit-message", chatId: "chat", messageId: undefined, abortSignal: undefined },
      messages,
    })
  ).tee();
  const printing = (async () => {
    for await (const chunk of told) print({ what: text, ...chunk });
  })();
  let answer: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: read })) answer = message;
  await printing;
  if (answer) messages.push(answer);
}

await say("what is the weather in Paris?");
await say("hello again");
await say("send an email to ada@example.com");
print({ what: "end", messages });
