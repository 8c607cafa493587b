import { Denied, Fault, type MetadataFilter, Unauthenticated } from "@berth/store";
import { isRecord } from "../record.ts";
import { readAuthFilter } from "./auth-filter.ts";

export type AuthResource = "assistants" | "threads" | "crons" | "store";

/** What somebody wants to do; a handler may change `value`, and what it puts there is done. */
type AuthQuestion = {
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
export class ProjectAuth {
  constructor(
    private readonly handlers: AuthHandlers,
    /** Whether the header of the Studio counts for nothing. */
    readonly studioDisabled: boolean,
    /** How callers prove who they are, where the project says so to them. */
    readonly declared?: DeclaredSecurity | undefined,
  ) {}

  /**
   * Who sends a request.
   * @throws Unauthenticated, AuthRefusal
   */
  async authenticate(request: Request): Promise<AuthUser> {
    const { authenticate } = this.handlers;
    if (!authenticate) throw new Unauthenticated("Not authenticated");
    const answer = await refusing(() => authenticate(request));
    const user = userOf(answer);
    if (!user) throw new TypeError("authenticate must return an identity, or an object that has one");
    return user;
  }

  /**
   * Asks the handler that is closest to the question, the only one that runs. Gives what the user may see of the
   * resources in question; undefined for all of them.
   * @throws Denied, AuthRefusal
   */
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
