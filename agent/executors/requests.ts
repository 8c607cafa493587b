import { type Clock, NotFound, Unavailable } from "@berth/store";
import type { AppLook, OwnApp } from "../apps/index.ts";
import type { OwnApps } from "../project/index.ts";
import { ExecutorBusy, ExecutorLost } from "../runs/index.ts";
import type { Bodies } from "./bodies.ts";
import type { Calls } from "./calls.ts";
import type { RequestHead } from "./code-answers.ts";
import type { SentRequest, ToExecutor } from "./protocol.ts";

/** A request to an app. */
export type AppRequest = Pick<SentRequest, "app" | "of"> & { request: Request };

/** What came of it. */
type Answered = Omit<AppLook, "response"> & {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  body: number | undefined;
};

/** @returns the request as auth handlers and apps see it */
export const headOf = ({ url, method, headers }: Request): RequestHead => ({
  ...{ url, method },
  headers: [...headers],
});

type RequestsLine = {
  bodies: Bodies;
  calls: Calls;
  clock: Clock;
  send(message: Extract<ToExecutor, { type: "request" | "leave" }>): void;
};

/** Sends requests to the apps of a project, in the executor that has them. */
export class SentRequests {
  readonly #begun = new Set<number>();

  constructor(private readonly line: RequestsLine) {}

  /**
   * @param mayMove whether it can be sent elsewhere as long as nobody has begun with it
   * @throws what the app throws
   * @throws Unavailable the executor is lost, and had begun
   * @throws ExecutorBusy @throws ExecutorLost it had not begun
   */
  async send({ app, of, request }: AppRequest, mayMove: boolean): Promise<AppLook> {
    const { bodies, calls, clock, send } = this.line;
    const body = request.body === null ? undefined : bodies.give(request.body);
    let number = 0;
    const leave = () => send({ type: "leave", call: number });
    const over = () => {
      request.signal.removeEventListener("abort", leave);
      if (body !== undefined) bodies.drop(body);
    };
    request.signal.addEventListener("abort", leave);
    try {
      const answered = await calls.ask<Answered>((call) => {
        number = call;
        const sent = { app, of, head: headOf(request), body };
        send({ type: "request", call, request: sent, sentAt: clock.now() });
      }, mayMove);
      const { passes, changed, body: answer, ...head } = answered;
      if (answer === undefined) over();
      const response = new Response(answer === undefined ? null : bodies.take(answer, over), head);
      return { response, passes, changed };
    } catch (error) {
      const isBegun = this.#begun.has(number);
      if (!isBegun && body !== undefined) bodies.takeBack(body);
      over();
      // Not again elsewhere: nobody knows how far it came.
      if (error instanceof ExecutorLost && isBegun) throw new Unavailable(error.message);
      throw error;
    } finally {
      this.#begun.delete(number);
    }
  }

  /** The executor begins with a request. @returns false where that was sent elsewhere */
  begins(call: number): boolean {
    if (!this.line.calls.stays(call)) return false;
    this.#begun.add(call);
    return true;
  }
}

/** A request that was on its way for so long may have been sent elsewhere meanwhile. */
const LATE_MS = 50;

type TakenDeps = {
  apps: OwnApps;
  bodies: Bodies;
  clock: Clock;
  /** Says at once that a request is begun with. */
  begin(call: number): void;
  /** Asks whether it still is to be. */
  isOurs(call: number): Promise<boolean>;
};

/** Requests of the other end to the apps of the project that is loaded here. */
export class TakenRequests {
  readonly #under = new Map<number, AbortController>();

  constructor(private readonly deps: TakenDeps) {}

  /** @throws what the app throws */
  async take({ call, request, sentAt }: Extract<ToExecutor, { type: "request" }>): Promise<Answered> {
    const { clock, begin, isOurs } = this.deps;
    const leaving = new AbortController();
    this.#under.set(call, leaving);
    const over = () => this.#under.delete(call);
    try {
      if (clock.now() - sentAt > LATE_MS && !(await isOurs(call))) throw new ExecutorBusy();
      begin(call);
      return await this.#answered(request, leaving.signal, over);
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Whoever asked is gone. */
  leave(call: number): void {
    this.#under.get(call)?.abort();
  }

  async #answered(
    { app: prefix, of, head: { url, ...head }, body }: SentRequest,
    signal: AbortSignal,
    over: () => void,
  ): Promise<Answered> {
    const app = this.#appOf(prefix);
    const { bodies } = this.deps;
    const init = { ...head, signal, ...(body !== undefined && { body: bodies.take(body), duplex: "half" }) };
    const request = new Request(url, init);
    const { response, ...look } = await (of === "look"
      ? app.look(request)
      : app.answer(request).then((response) => ({ response, passes: false, changed: [] })));
    const { status, statusText, headers } = response;
    if (response.body === null) over();
    const given = response.body === null ? undefined : bodies.give(response.body, over);
    return { ...look, status, statusText, headers: [...headers], body: given };
  }

  #appOf(prefix: string | undefined): OwnApp {
    const { app, mounted = [] } = this.deps.apps;
    const found = prefix === undefined ? app : mounted.find((one) => one.prefix === prefix)?.app;
    if (!found) throw new NotFound("The project has no such app");
    return found;
  }
}
