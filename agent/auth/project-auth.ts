import { Denied, Fault, type MetadataFilter, Unauthenticated } from "@berth/store";
import { isRecord } from "../record.ts";
import { readAuthFilter } from "./auth-filter.ts";
import { refusalOf } from "./auth-refusal.ts";
import { type AuthUser, userOf } from "./auth-user.ts";

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
