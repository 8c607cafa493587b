import { Message, type Part, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";

export const versions = ["1.0", "0.3"] as const;
export type Version = (typeof versions)[number];

/** The official client of an assistant, by its card, on one of the two versions of the protocol. */
export function connect(url: string, assistant: string, version: Version): Promise<Client> {
  // The older card is the one that a client of its time asked for; this one has to say so.
  const fetchImpl = Object.assign(
    (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      request.headers.set("a2a-version", version);
      return fetch(request);
    },
    { preconnect: fetch.preconnect },
  );
  const options = { fetchImpl, legacyCompat: { enabled: version === "0.3" } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(`${url}/a2a/${assistant}/.well-known/agent-card.json`, "");
}

type Said = {
  id?: string;
  context?: string;
  task?: string;
  parts?: unknown[];
  metadata?: Record<string, unknown>;
};

/** What `sendMessage` takes; parts are in the form of protocol 1.0. */
export function saying(text: string | unknown[], { id, context, task }: Said = {}) {
  const parts = typeof text === "string" ? [{ text }] : text;
  const message = Message.fromJSON({
    messageId: id ?? crypto.randomUUID(),
    role: "ROLE_USER",
    parts,
    ...(context && { contextId: context }),
    ...(task && { taskId: task }),
  });
  return { tenant: "", message, configuration: undefined, metadata: undefined };
}

/** Sends and gives the task that it became. */
export async function send(client: Client, params: ReturnType<typeof saying>): Promise<Task> {
  const result = await client.sendMessage(params);
  if ("messageId" in result) throw new Error("a message instead of a task");
  return result;
}

export const states = (task: Task) => task.status?.state;

/** Text, data, or a file as its name, type and content. */
export function plain(parts: Part[] = []): unknown[] {
  return parts.map(({ content, filename, mediaType }) => {
    if (content?.$case === "text" || content?.$case === "data") return content.value;
    const body = content?.$case === "raw" ? Buffer.from(content.value).toString() : content?.value;
    return { filename, mediaType, [content?.$case ?? "none"]: body };
  });
}

/** The parts of a task's answer. */
export const answer = (task: Task) => plain(task.artifacts.flatMap(({ parts }) => parts));

/** A stream in short: `task:working`, `working`, `+text` for what is appended, `=text` for what replaces. */
export function told({ payload }: StreamResponse): string {
  const name = (state: TaskState | undefined) =>
    String(TaskState[state ?? 0])
      .replace("TASK_STATE_", "")
      .toLowerCase()
      .replace("_", "-");
  if (payload?.$case === "task") return `task:${name(payload.value.status?.state)}`;
  if (payload?.$case === "statusUpdate") return name(payload.value.status?.state);
  if (payload?.$case !== "artifactUpdate") return String(payload?.$case);
  const { append, artifact, lastChunk } = payload.value;
  return `${append ? "+" : "="}${plain(artifact?.parts).join("")}${lastChunk ? "." : ""}`;
}

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
