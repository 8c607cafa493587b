import type { Place } from "./operation-row.ts";

const AN_HOUR = 3_600;

/** Makes what the rows need; each asks for more where it changes or deletes it. */
export async function makePlace(url: string, components: string): Promise<Place> {
  const post = async <Answer>(path: string, body: unknown): Promise<Answer> => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const newThread = async () => (await post<{ thread_id: string }>("/threads", {})).thread_id;
  const thread = await newThread();
  const input = { messages: [{ role: "human", content: "hello" }] };
  await post(`/threads/${thread}/runs/wait`, { assistant_id: "agent", input, stream_mode: ["values"] });
  const [run] = (await (await fetch(`${url}/threads/${thread}/runs`)).json()) as { run_id: string }[];
  const { checkpoint } = await (await fetch(`${url}/threads/${thread}/state`)).json();
  const { assistant_id } = await post<{ assistant_id: string }>("/assistants", { graph_id: "nested" });
  return {
    url,
    components,
    assistant: assistant_id,
    thread,
    run: run?.run_id ?? "",
    checkpoint: checkpoint.checkpoint_id,
    newThread,
    askingThread: async () => {
      const asking = await newThread();
      const body = { assistant_id: "interrupting", input: { where: "node" } };
      await post(`/threads/${asking}/runs/wait`, body);
      return asking;
    },
    delayedRun: async () => {
      const waiting = await newThread();
      const body = { assistant_id: "agent", input, after_seconds: AN_HOUR };
      return {
        thread: waiting,
        run: (await post<{ run_id: string }>(`/threads/${waiting}/runs`, body)).run_id,
      };
    },
    newCron: async () =>
      (await post<{ cron_id: string }>("/runs/crons", { assistant_id: "agent", schedule: "0 8 * * 1" }))
        .cron_id,
    newTask: async () => {
      const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "hello" }] };
      const call = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } };
      type Sent = { result: { task: { id: string; contextId: string } } };
      return (await post<Sent>("/a2a/agent", call)).result.task;
    },
  };
}
