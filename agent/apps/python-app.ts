import type { PythonWorker } from "../python/index.ts";
import type { FetchApp } from "./own-app.ts";

type Head = { status: number; headers: [name: string, value: string][] };
type Route = { method: string; path: string };

/** An ASGI app of a project, which a Python worker runs. */
export class PythonApp implements FetchApp {
  /** @param routes those that it lists itself, in the words of JavaScript's routers */
  constructor(
    private readonly worker: () => Promise<Pick<PythonWorker, "stream">>,
    readonly routes: readonly Route[],
  ) {}

  async fetch(request: Request): Promise<Response> {
    const { method, url, headers, signal } = request;
    const body = request.body ? Buffer.from(await request.arrayBuffer()).toString("base64") : "";
    const sent = { method, url, headers: [...headers], body };
    const answer = (await this.worker()).stream<Head | string>("app", { request: sent }, { signal });
    const { value: head } = await answer.next();
    if (typeof head !== "object") throw new Error("the app of the project gave no answer");
    const isEmpty = [101, 204, 205, 304].includes(head.status);
    if (isEmpty) await answer.return(undefined);
    return new Response(isEmpty ? null : streamOf(answer), { status: head.status, headers: head.headers });
  }
}

function streamOf(answer: AsyncGenerator<Head | string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await answer.next();
      if (done) controller.close();
      else if (typeof value === "string") controller.enqueue(new Uint8Array(Buffer.from(value, "base64")));
    },
    async cancel() {
      await answer.return(undefined);
    },
  });
}
