import { NotFound, Unavailable } from "@berth/store";
import type { Look, OwnApp, OwnApps } from "../project/index.ts";
import { ExecutorLost } from "../runs/index.ts";
import type { Bodies } from "./bodies.ts";
import type { Calls } from "./calls.ts";
import type { RequestHead } from "./code-answers.ts";

/** A request to an app of the project, as it travels. */
export type Visit = {
  /** The prefix of one that is mounted; none of the one for all paths. */
  app: string | undefined;
  of: keyof OwnApp;
  head: RequestHead;
  /** A body that is given away. */
  body: number | undefined;
};

/** What came of it. */
export type Visited = Omit<Look, "response"> & {
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

/** Sends requests to the apps of a project, in the executor that has them. */
export class Visiting {
  constructor(
    private readonly line: {
      bodies: Bodies;
      calls: Calls;
      send(message: { type: "visit"; call: number; visit: Visit } | { type: "leave"; call: number }): void;
    },
  ) {}

  /** @throws what the app throws @throws Unavailable the executor is lost */
  async visit(app: string | undefined, of: keyof OwnApp, request: Request): Promise<Look> {
    const { bodies, calls, send } = this.line;
    const body = request.body === null ? undefined : bodies.give(request.body);
    let leave: () => void = () => undefined;
    const over = () => {
      request.signal.removeEventListener("abort", leave);
      if (body !== undefined) bodies.drop(body);
    };
    try {
      const visited = await calls.ask<Visited>((call) => {
        leave = () => send({ type: "leave", call });
        request.signal.addEventListener("abort", leave);
        send({ type: "visit", call, visit: { app, of, head: headOf(request), body } });
      });
      const { passes, changed, body: answer, ...head } = visited;
      if (answer === undefined) over();
      const response = new Response(answer === undefined ? null : bodies.take(answer, over), head);
      return { response, passes, changed };
    } catch (error) {
      over();
      // Not again elsewhere: nobody knows how far it came.
      if (error instanceof ExecutorLost)
        throw new Unavailable(`${error.message}; the request may be repeated`);
      throw error;
    }
  }
}

/** Requests of the other end to the apps of the project that is loaded here. */
export class Visits {
  readonly #under = new Map<number, AbortController>();

  constructor(
    private readonly apps: OwnApps,
    private readonly bodies: Bodies,
  ) {}

  /** @throws what the app throws */
  async take(call: number, { app: prefix, of, head: { url, ...head }, body }: Visit): Promise<Visited> {
    const app = this.#appOf(prefix);
    const leaving = new AbortController();
    this.#under.set(call, leaving);
    const over = () => this.#under.delete(call);
    try {
      const init: RequestInit = { ...head, signal: leaving.signal };
      const given = body === undefined ? init : { ...init, body: this.bodies.take(body), duplex: "half" };
      const request = new Request(url, given);
      const { response, ...look } =
        of === "look"
          ? await app.look(request)
          : { response: await app.answer(request), passes: false, changed: [] };
      if (response.body === null) over();
      return {
        ...look,
        ...{ status: response.status, statusText: response.statusText, headers: [...response.headers] },
        body: response.body === null ? undefined : this.bodies.give(response.body, over),
      };
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Whoever asked is gone. */
  leave(call: number): void {
    this.#under.get(call)?.abort();
  }

  #appOf(prefix: string | undefined): OwnApp {
    const { app, mounted = [] } = this.apps;
    const found = prefix === undefined ? app : mounted.find((one) => one.prefix === prefix)?.app;
    if (!found) throw new NotFound("The project has no such app");
    return found;
  }
}
