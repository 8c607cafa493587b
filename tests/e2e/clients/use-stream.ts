import { Client } from "langgraph-sdk-2-0";
import { useStream } from "langgraph-sdk-2-0/react";
import { until } from "../condition.ts";
import { HookHost } from "./hook-host.ts";

export type Message = { id?: string; type: string; content: string };
export type Values = Record<string, unknown> & { messages: Message[] };

/** One request as the client sent it, without the address. */
export type Request = { line: string; headers: Headers; body: Record<string, unknown> };

type Options = {
  threadId?: string | null;
  fetchStateHistory?: boolean;
  /** Remembers the run under way, as the session storage of a tab does. */
  storage?: Storage;
  apiKey?: string;
};

/** The hook of the official React package, without a page, and what it asked the server for. */
export class StreamHook {
  readonly requests: Request[] = [];
  readonly host: HookHost<ReturnType<typeof useStream<Values>>>;
  readonly errors: unknown[] = [];
  threadId: string | null;

  constructor(url: string, assistantId: string, options: Options = {}) {
    const { storage, apiKey, fetchStateHistory = true } = options;
    this.threadId = options.threadId ?? null;
    const client = new Client({
      apiUrl: url,
      ...(apiKey && { apiKey }),
      callerOptions: { fetch: (input: string | URL, init?: RequestInit) => this.#fetch(url, input, init) },
    });
    this.host = new HookHost(() =>
      useStream<Values>({
        client,
        assistantId,
        threadId: this.threadId,
        fetchStateHistory,
        onThreadId: (id) => {
          this.threadId = id;
        },
        onError: (error) => this.errors.push(error),
        ...(storage && { reconnectOnMount: () => storage }),
      }),
    );
  }

  get stream() {
    return this.host.result;
  }

  get texts(): string[] {
    return this.stream.messages.map(({ content }) => String(content));
  }

  /** What was asked for since the last time this was asked. */
  lines(): string[] {
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
    return this.requests.splice(0).map(({ line }) => line.replaceAll(id, "{id}"));
  }

  /** Resolves when the thread was read and nothing streams. */
  async settled(): Promise<void> {
    await until("the hook is at rest", async () => !this.stream.isThreadLoading && !this.stream.isLoading);
  }

  #fetch(url: string, input: string | URL, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(input);
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    this.requests.push({
      line: `${init.method ?? "GET"} ${pathname}`,
      headers: new Headers(init.headers),
      body,
    });
    return fetch(input.toString().startsWith("http") ? input : new URL(input, url), init);
  }
}

export const human = (content: string) => ({ messages: [{ type: "human", content }] });
