import { DeployRefused, Unreachable } from "./failure.ts";
import { endlessly, OutOfTime, type Patience } from "./patience.ts";

export type Credentials = { apiKey: string | undefined; tenantId: string | undefined };

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type Query = Record<string, string | number | undefined>;

type ClientOptions = {
  /** The server's address, with a prefix such as `/api-host` if it has one. */
  baseUrl: string;
  credentials: Credentials;
  /** May mend what was missing after a 401 or a 403 (asks a person); undefined: the refusal stands. */
  mend?: (refused: DeployRefused, sent: Credentials) => Promise<Credentials | undefined>;
  /** Milliseconds before each further try of a GET. */
  pauses?: readonly number[];
  /** How long to wait for all answers together. */
  patience?: Patience | undefined;
};

const ANSWER_LIMIT_MS = 30_000;
const PAUSES_MS = [300, 900];
/** What a proxy answers while the server behind it restarts. */
const PASSING = new Set([502, 503, 504]);

/** The control plane over HTTP. A GET is tried three times; whether to repeat any other request is the caller's. */
export class ControlClient {
  readonly baseUrl: string;
  readonly #mend: ClientOptions["mend"];
  readonly #pauses: readonly number[];
  /** What else waits for the server has it from here. */
  readonly patience: Patience;
  #credentials: Credentials;

  constructor({ baseUrl, credentials, mend, pauses = PAUSES_MS, patience = endlessly() }: ClientOptions) {
    this.baseUrl = baseUrl;
    this.#credentials = credentials;
    this.#mend = mend;
    this.#pauses = pauses;
    this.patience = patience;
  }

  async get(path: string, query: Query = {}): Promise<unknown> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
    for (const pause of this.#pauses) {
      try {
        return await this.#send("GET", path + search);
      } catch (error) {
        const passing =
          error instanceof DeployRefused ? PASSING.has(error.status) : error instanceof Unreachable;
        if (!passing) throw error;
        await this.patience.pause(pause);
      }
    }
    return this.#send("GET", path + search);
  }

  post(path: string, body?: unknown): Promise<unknown> {
    return this.#send("POST", path, body);
  }

  patch(path: string, body: unknown): Promise<unknown> {
    return this.#send("PATCH", path, body);
  }

  delete(path: string): Promise<unknown> {
    return this.#send("DELETE", path);
  }

  async #send(method: Method, path: string, body?: unknown): Promise<unknown> {
    try {
      return await this.#once(method, path, body);
    } catch (error) {
      if (!(error instanceof DeployRefused) || (error.status !== 401 && error.status !== 403)) throw error;
      const mended = await this.#mend?.(error, this.#credentials);
      if (mended === undefined) throw error;
      this.#credentials = mended;
      return this.#once(method, path, body);
    }
  }

  async #once(method: Method, path: string, body: unknown): Promise<unknown> {
    const { apiKey, tenantId } = this.#credentials;
    const request = `${method} ${path.replace(/\?.*$/, "")}`;
    const init = {
      method,
      headers: {
        accept: "application/json",
        ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
        ...(tenantId === undefined ? {} : { "x-tenant-id": tenantId }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    let response: Response;
    let answer: string;
    try {
      [response, answer] = await this.patience.spend(ANSWER_LIMIT_MS, async (limitMs) => {
        const answered = await fetch(this.baseUrl + path, { ...init, signal: AbortSignal.timeout(limitMs) });
        return [answered, await answered.text()];
      });
    } catch (error) {
      if (error instanceof OutOfTime) throw error;
      throw new Unreachable(unreachable(this.baseUrl, error));
    }
    if (!response.ok) throw new DeployRefused(request, response.status, detailOf(answer, response.status));
    if (answer.trim() === "") return undefined;
    try {
      return JSON.parse(answer);
    } catch {
      throw new DeployRefused(request, response.status, "the answer is not JSON, so this is no Berth");
    }
  }
}

function unreachable(baseUrl: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `no answer from ${baseUrl} (${why}). Start Berth there with "berth start", or name another address with --host-url or SERVICE_ENDPOINT`;
}

/** What stands in front of Berth and takes less than Berth does answers in its own words, or in none. */
const PROXY_LIMIT =
  'a proxy in front of Berth takes no request of this size. Raise its limit there, in nginx with "client_max_body_size 210m;" (docs/reverse-proxy.md)';

/** The reason in an answer: `{"detail": "…"}`, or the places and messages of a 422. */
export function detailOf(answer: string, status: number): string {
  try {
    const { detail } = JSON.parse(answer);
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail))
      return detail.map(({ loc, msg }) => `${[loc].flat().join(".")}: ${msg}`).join("; ");
  } catch {
    // Not ours: shown as it is.
  }
  return status === 413 ? PROXY_LIMIT : answer.trim().slice(0, 500);
}
