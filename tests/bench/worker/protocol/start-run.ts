import { describe, field } from "../calls.ts";
import { send } from "../http-calls.ts";

/** Starts a run of the paced graph by the protocol; `order` is what it is to stream. */
export async function startRun(base: string, threadId: string, order: string): Promise<void> {
  const input = { messages: [{ role: "user", content: order }] };
  const params = { assistant_id: "paced", input };
  const command = { id: 1, method: "run.start", params };
  const reply: unknown = await (await send(base, "POST", `/threads/${threadId}/commands`, command)).json();
  if (field(reply, "type") !== "success") throw new Error(`run.start was refused: ${describe(reply)}`);
}
