import { Denied, Fault, type MetadataFilter, Unauthenticated } from "@berth/store";
import { isRecord } from "./record.ts";

export type AuthResource = "assistants" | "threads" | "crons" | "store";

/** What somebody wants to do; a handler may change `value`, and what it puts there is done. */
export type AuthQuestion = {
  resource: AuthResource;
  action: string;
  value: Record<string, unknown>;
};

type Handler = (call: Record<string, unknown>) => unknown;

/** An `Auth` of the SDK, by what it keeps of its handlers. */
export type AuthHandlers = {
  authenticate?: (request: Request) => unknown;
  callbacks?: Record<string, Handler>;
};

/** How callers prove who they are, as OpenAPI says it: what there is, and which of it they need. */
export type DeclaredSecurity = {
  securitySchemes: Record<string, Record<string, unknown>>;
  /** One of these, each all of its schemes, with the scopes that they need. */
  security: Record<string, string[]>[];
};

/** Who may call, and who may do what, as a project decides it (`auth.path`). */
export interface ProjectAuth {
  /** Whether the header of the Studio counts for nothing. */
  readonly studioDisabled: boolean;
  /** How callers prove who they are, where the project says so to them. */
  readonly declared?: DeclaredSecurity | undefined;
  /**
   * Who sends a request.
   * @throws Unauthenticated, AuthRefusal
   */
  authenticate(request: Request): Promise<AuthUser>;
  /**
   * Asks the handler that is closest to the question, the only one that runs. Gives what the user may see of the
   * resources in question; undefined for all of them.
   * @throws Denied, AuthRefusal
   */
  ask(user: AuthUser, question: AuthQuestion): Promise<MetadataFilter | undefined>;
}

/** By handlers that are loaded here. */
export class OwnAuth implements ProjectAuth {
  constructor(
    private readonly handlers: AuthHandlers,
    readonly studioDisabled: boolean,
    readonly declared?: DeclaredSecurity | undefined,
  ) {}

  async authenticate(request: Request): Promise<AuthUser> {
    const { authenticate } = this.handlers;
    if (!authenticate) throw new Unauthenticated("Not authenticated");
    const answer = await refusing(() => authenticate(request));
    const user = userOf(answer);
    if (!user) throw new TypeError("authenticate must return an identity, or an object that has one");
    return user;
  }

  async ask(user: AuthUser, { resource, action, value }: AuthQuestion): Promise<MetadataFilter | undefined> {
    const { callbacks = {} } = this.handlers;
    const names = [`${resource}:${action}`, resource, `*:${action}`, "*"];
    const handler = names.map((name) => callbacks[name]).find((found) => found !== undefined);
    if (!handler) return undefined;
    const { permissions } = user;
    const event = `${resource}:${action}`;
    const answer = await refusing(() => handler({ event, resource, action, value, permissions, user }));
    if (answer === undefined || answer === null || answer === true) return undefined;
    if (answer === false) throw new Denied("Not authorized");
    if (isRecord(answer)) return readAuthFilter(answer);
    throw new TypeError(`the auth handler of ${event} must return nothing, a boolean or a filter`);
  }
}

/** Tells a project's refusals from its failures. */
async function refusing(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw refusalOf(error) ?? error;
  }
}

/** Who a project's `authenticate` says is calling. */
export type AuthUser = {
  identity: string;
  permissions: string[];
  display_name: string;
  is_authenticated: boolean;
} & Record<string, unknown>;

/** Somebody at the Studio of whoever runs this server; handlers know them by their kind. */
export const studioUser: AuthUser = {
  kind: "StudioUser",
  identity: "langgraph-studio-user",
  display_name: "langgraph-studio-user",
  permissions: [],
  is_authenticated: true,
};

/** The user that an answer of `authenticate` stands for; undefined when it is none. */
export function userOf(answer: unknown): AuthUser | undefined {
  if (typeof answer === "string") return answer === "" ? undefined : complete({ identity: answer });
  if (!isRecord(answer) || typeof answer.identity !== "string" || answer.identity === "") return undefined;
  return complete({ ...answer, identity: answer.identity });
}

function complete(given: { identity: string } & Record<string, unknown>): AuthUser {
  const { identity, permissions, display_name, is_authenticated } = given;
  return {
    ...given,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    display_name: typeof display_name === "string" ? display_name : identity,
    is_authenticated: is_authenticated !== false,
  };
}

/** Names in `configurable` that only the server gives: callers must not speak for somebody else. */
export const isAuthName = (name: string): boolean => name.startsWith("langgraph_auth_");

/** Whether what the server tells graphs of a request says who sent it. */
export const isUsers = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  "langgraph_auth_user_id" in headers;

/** A user as graphs find them in `configurable`. */
export function configurableUser(user: AuthUser): Record<string, unknown> {
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: user.identity,
    langgraph_auth_permissions: user.permissions,
  };
}

/** A project's own refusal, with the status, the words and the headers that it chose. */
export class AuthRefusal extends Fault {
  override name = "AuthRefusal";

  constructor(
    message: string,
    readonly status: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/**
 * What a project threw as a refusal, by shape: its `HTTPException` is of its own copy of the SDK. Undefined for
 * any other failure.
 */
function refusalOf(thrown: unknown): AuthRefusal | undefined {
  if (typeof thrown !== "object" || thrown === null || !("status" in thrown)) return undefined;
  const { status } = thrown;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 400 || status > 599)
    return undefined;
  const message = "message" in thrown && typeof thrown.message === "string" ? thrown.message : "";
  return new AuthRefusal(message || "Not authorized", status, headersOf(thrown));
}

function headersOf(thrown: object): Record<string, string> {
  if (!("headers" in thrown) || !thrown.headers) return {};
  try {
    return Object.fromEntries(new Headers(thrown.headers as ConstructorParameters<typeof Headers>[0]));
  } catch {
    return {};
  }
}

const LISTS = { $and: "all", $or: "any" } as const;
const DEEPEST = 16;

/**
 * What a handler's answer says of the resources that may be seen: `{key: value}`, `{key: {$eq: value}}`,
 * `{key: {$contains: value or values}}`, `{key: {nested: value}}`, all of which must hold, and `$and`, `$or` over
 * lists of these.
 * @throws TypeError for what would let through more than its writer meant: an undefined value, or no condition at all
 */
export function readAuthFilter(answer: Record<string, unknown>): MetadataFilter {
  return filterOf(answer, 0);
}

function filterOf(answer: Record<string, unknown>, depth: number): MetadataFilter {
  if (depth > DEEPEST) throw new TypeError("an auth filter is nested too deeply");
  if (Object.keys(answer).length === 0)
    throw new TypeError("an auth filter has no condition: return nothing, null or true to allow everything");
  const parts = Object.entries(answer).map(([name, wanted]): MetadataFilter => {
    if (name === "$and" || name === "$or") return joined(name, wanted, depth);
    if (name.startsWith("$"))
      throw new TypeError(`an auth filter has an operator ${name} where a key belongs`);
    return { contain: { [name]: containedBy(name, wanted, depth) } };
  });
  const [first] = parts;
  return parts.length === 1 && first ? first : merged(parts);
}

/** Plain conditions as one: that is what a search by labels can use. */
function merged(parts: MetadataFilter[]): MetadataFilter {
  const contain = parts.flatMap((part) => ("contain" in part ? [part.contain] : []));
  const rest = parts.filter((part) => !("contain" in part));
  const plain: MetadataFilter = { contain: Object.fromEntries(contain.flatMap(Object.entries)) };
  return rest.length === 0 ? plain : { all: [plain, ...rest] };
}

function joined(name: keyof typeof LISTS, wanted: unknown, depth: number): MetadataFilter {
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every(isRecord))
    throw new TypeError(`${name} of an auth filter must be a list of filters`);
  const parts = wanted.map((part: Record<string, unknown>) => filterOf(part, depth + 1));
  return name === "$and" ? { all: parts } : { any: parts };
}

/** The JSON that the member must contain, in the sense of Postgres' `@>`. */
function containedBy(name: string, wanted: unknown, depth: number): unknown {
  if (isScalar(wanted)) return wanted;
  if (depth > DEEPEST || !isRecord(wanted) || Object.keys(wanted).length === 0) throw unclear(name);
  const operators = Object.keys(wanted).filter((key) => key.startsWith("$"));
  if (operators.length === 0) {
    const nested = Object.entries(wanted).map(([key, value]) => [
      key,
      containedBy(`${name}.${key}`, value, depth + 1),
    ]);
    return Object.fromEntries(nested);
  }
  const [operator] = operators;
  if (operators.length > 1 || Object.keys(wanted).length > 1) throw unclear(name);
  if (operator === "$eq" && isScalar(wanted.$eq)) return wanted.$eq;
  if (operator !== "$contains") throw unclear(name);
  const elements = Array.isArray(wanted.$contains) ? wanted.$contains : [wanted.$contains];
  if (elements.length === 0 || !elements.every(isScalar)) throw unclear(name);
  return elements;
}

/** Numbers that JSON cannot hold would become null on their way to another process. */
const isScalar = (value: unknown): boolean =>
  value === null || Number.isFinite(value) || ["string", "boolean"].includes(typeof value);

const unclear = (name: string) =>
  new TypeError(
    `the auth filter of "${name}" must be a value, {$eq: value}, {$contains: value or values} or nested keys`,
  );
