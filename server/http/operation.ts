import { Denied, type FaultDetail, Invalid } from "@berth/store";
import type { OptionalKind, Static, TObject, TSchema, TUndefined } from "@sinclair/typebox";
import { type BodyLimit, isProof, type Policy, UNKNOWN_FIELDS, type UnknownFields } from "../access/index.ts";
import type { Guard, GuardedRequest, Permit, PermitRule } from "../authorization/index.ts";
import { isStreamed } from "./answer.ts";
import { SMALL_BODY_BYTES } from "./bounds.ts";
import type { Caller } from "./call.ts";
import { callOf } from "./call.ts";
import { checkRank } from "./caller.ts";
import type { Draining } from "./draining.ts";
import { type InputReader, inputReader } from "./input.ts";

/** `ANY` where another process decides which methods there are. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "ANY";

/** A documented answer: its description, and the schema of its JSON unless it has none. */
export type Answer = string | { description: string; schema?: TSchema; mediaType?: string };

/** What a stream needs of Bun's server; null under `app.handle`. */
export type Connection = {
  timeout(request: Request, seconds: number): void;
  requestIP?(request: Request): { address: string } | null;
  upgrade?(request: Request, options: { data: unknown; headers?: Record<string, string> }): boolean;
};

/** Everything that documents a route and says what it takes. `path` uses `:name` for parameters. */
type OperationSpec<P extends TObject, Q extends TObject, B extends TSchema, V = unknown> = {
  method: Method;
  path: string;
  /** Who may call it, and how (`server/access`). */
  access: Policy;
  /** As much of a body as is read. */
  bodyLimit: BodyLimit;
  /**
   * Checks the request's own proof and that its target exists, before a byte of the body is read; the handler gets the
   * result as `verified`. Required for a body where `access` asks for a proof, because anyone may send that body.
   */
  verify?(input: Addressed<P, Q>): Promise<V> | V;
  /** Unique in the API document; derived from method and path when absent. */
  id?: string;
  tag: string;
  summary: string;
  description?: string;
  /** Schema of the path parameters; every `:name` of `path` is in it. */
  params?: P;
  query?: Q;
  /** Headers that it reads, by name; each may be left out. For the API document only: the handler reads them itself. */
  headers?: Readonly<Record<string, string>>;
  /** `Type.Optional(…)` allows an empty body. Without a schema the body is never read. */
  body?: B;
  /** What becomes of fields that `body` does not declare; without it, what the plane says. */
  unknownFields?: UnknownFields;
  /** Puts a body into the schema's words where a client has others. */
  reword?: (body: unknown) => unknown;
  /** A request without a body counts as one with `{}`. */
  mayBeEmpty?: boolean;
  /** Answers a body that does not fit, where not with the list of faults. */
  refuseBody?: (invalid: Invalid) => Response;
  /** A body is JSON by its content type, and plain text is not. */
  strictJson?: true;
  /** A body that the handler reads by itself, in pieces or byte by byte. */
  rawBody?: { mediaType: string; description: string };
  answers: Record<number, Answer>;
  /** True where it starts a run, or whether a body does: refused while the process ends. */
  startsRun?: true | ((body: Record<string, unknown>) => boolean);
  /** True for what only a page of ours asks for: the API document leaves it out. */
  unlisted?: boolean;
};

type BodyOf<B extends TSchema> = B extends { [OptionalKind]: "Optional" } ? Static<B> | undefined : Static<B>;

/** A request whose body has not been read. */
type Addressed<P extends TObject, Q extends TObject> = {
  path: Static<P>;
  query: Static<Q>;
  request: Request;
  caller: Caller | null;
};

/** What a handler gets: validated input, and the request itself for headers and its abort signal. */
export type Input<P extends TObject, Q extends TObject, B extends TSchema, V = undefined> = {
  path: Static<P>;
  query: Static<Q>;
  body: BodyOf<B>;
  /** The result of `verify`. */
  verified: V;
  request: Request;
  server: Connection | null;
  /** The id of this request, as in the log and in `x-request-id`. */
  id: string;
  /** Null only where no access guard stands before the route. */
  caller: Caller | null;
  /** What the project lets this caller see and create; empty where everybody may do everything. */
  permit: Permit;
};

/** A request as the router hands it over: `params` still raw text. */
export type Arrival = {
  request: Request;
  params: Record<string, string>;
  server: Connection | null;
  draining?: Draining | undefined;
};

/** A declared route; `serve` validates, calls the handler, and throws what either throws. */
export type Operation = {
  readonly spec: OperationSpec<TObject, TObject, TSchema>;
  serve(arrival: Arrival, maxBodyBytes: number): Promise<Response>;
};

type NoFields = TObject<Record<never, TSchema>>;

/**
 * Declares a route: the only way to have one, so that validation, the API document and the answer to a wrong
 * method all come from the same words. Throws one `Invalid` that holds every fault of path, query and body.
 */
export function operation<
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = TUndefined,
  V = undefined,
>(
  spec: OperationSpec<P, Q, B, V>,
  handle: (input: Input<P, Q, B, V>) => Response | Promise<Response>,
): Operation {
  if (isProof(spec.access) && spec.bodyLimit !== "none" && spec.verify === undefined)
    throw new Error(`${spec.method} ${spec.path} would read a body before it verifies who sends it`);
  let readInput: InputReader | undefined;
  return {
    spec,
    async serve({ request, params, server, draining }, maxBodyBytes) {
      const call = callOf(request);
      call.route = spec.path;
      const { caller } = call;
      // Before the body: its bytes take memory.
      checkCaller(caller, spec.access);
      // Compiled on first use: a start compiles nothing, and most processes never see most routes.
      readInput ??= inputReader(spec, unknownFieldsOf(spec));
      const address = readInput.address(request, params);
      const verified = (await verifiedBy(spec, { ...address, request, caller })) as V;
      const reading = readInput.whole(request, address, mostBytesOf(spec.bodyLimit, maxBodyBytes));
      if (spec.refuseBody) {
        const refused = await reading.then(() => undefined, bodyFaults);
        if (refused) return spec.refuseBody(refused);
      }
      // The one cast of the layer: the schemas that these types come from have just accepted the values.
      const values = (await reading) as Pick<Input<P, Q, B>, "path" | "query" | "body">;
      if (draining && isStart(spec, values.body)) draining.refuse();
      const permit = caller?.guard ? await permitOf(caller.guard, spec.access.rule, values) : {};
      const response = await handle({ ...values, verified, request, server, id: call.id, caller, permit });
      return request.method === "HEAD" ? headOf(response) : response;
    },
  };
}

/** What becomes of fields that no schema declares; undefined where no schema describes the body. */
export const unknownFieldsOf = ({ body, unknownFields, access }: Operation["spec"]) =>
  body && (unknownFields ?? UNKNOWN_FIELDS[access.plane]);

/** @throws Unauthenticated | Denied */
function checkCaller(caller: Caller | null, policy: Policy): void {
  checkRank(caller, policy);
  if (caller?.guard && policy.rule === null) throw new Denied("Not authorized");
}

/** @throws Invalid where the address is wrong; what `verify` throws */
async function verifiedBy<P extends TObject, Q extends TObject>(
  { verify }: Pick<OperationSpec<P, Q, TSchema>, "verify">,
  {
    faults,
    ...input
  }: { path: unknown; query: unknown; faults: FaultDetail[] } & Pick<Addressed<P, Q>, "request" | "caller">,
): Promise<unknown> {
  if (verify === undefined) return undefined;
  if (faults.length > 0) throw new Invalid(faults);
  return verify(input as Addressed<P, Q>);
}

function mostBytesOf(limit: BodyLimit, processLimit: number): number {
  if (typeof limit === "number") return limit;
  return limit === "small" ? Math.min(SMALL_BODY_BYTES, processLimit) : processLimit;
}

function isStart({ startsRun }: Pick<Operation["spec"], "startsRun">, body: unknown): boolean {
  return typeof startsRun === "function" ? startsRun(body as Record<string, unknown>) : startsRun === true;
}

/** What a project's user may do: nothing where no rule says so. */
function permitOf(guard: Guard, rule: PermitRule | null, values: Record<string, unknown>): Promise<Permit> {
  if (rule === null) throw new Denied("Not authorized");
  const { path = {}, query = {}, body = {} } = values;
  // Rules change what they are given, and it has just been read: nobody else has it.
  return rule.ask(guard, { path, query, body } as GuardedRequest);
}

/** The faults of a request when all of them are the body's; whatever else went wrong goes its own way. */
function bodyFaults(error: unknown): Invalid {
  if (error instanceof Invalid && error.details.every(({ loc }) => isOfBody(loc[0]))) return error;
  throw error;
}

const isOfBody = (place: unknown) => place === "body" || place === "header";

/**
 * HEAD runs the GET, so that both agree, and says how many bytes the body has. A stream has no length (RFC 9110 §8.6), and
 * would be read to its end: it is let go.
 */
async function headOf(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  // Whoever knows the length without the body has said it.
  if (response.body === null && headers.has("content-length")) return response;
  if (isStreamed(response)) {
    await response.body?.cancel();
    headers.set("transfer-encoding", "chunked");
  } else headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, statusText, headers });
}
