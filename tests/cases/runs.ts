import { Client } from "@langchain/langgraph-sdk";
import { collect, type Part } from "../e2e/stream-parts.ts";
import type { ServedCase } from "./case.ts";

/** The result of `/wait` or `/join`. */
export type Result = Record<string, unknown> & { __interrupt__?: { id: string; value: unknown }[] };

/** The questions of a result, in order. */
export const questionsOf = ({ __interrupt__ = [] }: Result): unknown[] =>
  __interrupt__.map(({ value }) => value);

/** A thread of a served case. */
export class CaseThread {
  readonly client: Client;
  #id: string | undefined;

  constructor(
    served: ServedCase,
    private readonly graph: string,
  ) {
    this.client = new Client({ apiUrl: served.url, defaultHeaders: served.headers });
  }

  async id(): Promise<string> {
    this.#id ??= (await this.client.threads.create()).thread_id;
    return this.#id;
  }

  /** The result of a run, errors included. */
  async wait(payload: object): Promise<Result> {
    const options = { ...payload, raiseError: false };
    return (await this.client.runs.wait(await this.id(), this.graph, options)) as Result;
  }

  async stream(payload: object, streamMode: string[], streamSubgraphs = false): Promise<Part[]> {
    const options = { ...payload, streamMode: streamMode as never, streamSubgraphs };
    return collect(this.client.runs.stream(await this.id(), this.graph, options));
  }

  /** The result of the newest run, once from the process that ran it and once from its log. */
  async join(): Promise<Result> {
    const id = await this.id();
    const [run] = await this.client.runs.list(id);
    return (await this.client.runs.join(id, run?.run_id ?? "")) as Result;
  }

  async get() {
    return this.client.threads.get(await this.id());
  }

  async state() {
    return this.client.threads.getState<Record<string, unknown>>(await this.id());
  }
}
