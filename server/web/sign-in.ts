import { AuthRefusal } from "@berth/agent";
import {
  BadRequest,
  Conflict,
  Denied,
  Fault,
  Invalid,
  Unauthenticated,
  type WorkspaceRow,
} from "@berth/store";
import { chatSurroundings, page } from "../access/index.ts";
import {
  type Access,
  type Caller,
  empty,
  json,
  mayUseCookie,
  type Operation,
  operation,
  originOf,
  readBody,
  readText,
  type SignInSessions,
  TooMany,
} from "../http/index.ts";
import { ShownSignIn } from "./wire/index.ts";

export type SignInDeps = {
  access: Access;
  sessions: SignInSessions;
  /** The workspace that callers belong to where nobody has to sign in. */
  workspaceId: string;
  findWorkspace: (id: string) => Promise<Pick<WorkspaceRow, "id" | "name">>;
  /** Whether this process has the console, which the chat then leads to. */
  hasConsole: boolean;
};

/** What somebody typed, and how it came: a page's script sends JSON, a page without script a form. */
type Sent = { key: string; next: string; isForm: boolean };

const tag = "Page";
const MOST_BYTES = 8_192;
/** Browsers drop a cookie of more than 4 KB without a word. */
const LONGEST_TOKEN = 2_900;
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Signing in and out with a browser. None of it needs a key: it is how one gets along without sending it. */
export const signInRoutes = (deps: SignInDeps): Operation[] => [session(deps), signIn(deps), signOut(deps)];

const session = (deps: SignInDeps) =>
  operation(
    {
      method: "GET",
      path: "/api/session",
      access: page,
      bodyLimit: "none",
      tag,
      summary: "Whether somebody has to sign in, and has",
      answers: { 200: { description: "The session", schema: ShownSignIn } },
      unlisted: true,
    },
    async ({ request }) => {
      const caller = await signedInAs(deps, request);
      return json(await sessionOf(caller, deps), 200, { "cache-control": "no-store" });
    },
  );

const signIn = (deps: SignInDeps) =>
  operation(
    {
      method: "POST",
      path: "/sign-in",
      access: page,
      bodyLimit: MOST_BYTES,
      tag,
      summary: "Sign in with an API key",
      answers: { 200: "Signed in", 303: "The next page", 409: "No key is needed", 429: "Too many attempts" },
      unlisted: true,
    },
    async ({ request }) => {
      if (originOf(request, deps.sessions.publicUrl) === "elsewhere")
        throw new Denied("Only a page of this server may sign in");
      if (!mustSignIn(deps)) throw new Conflict("No API key is needed here");
      const sent = await readSent(request);
      try {
        if (deps.access.hasProjectAuth && sent.key.length > LONGEST_TOKEN)
          throw new BadRequest(`A browser cannot keep a token of more than ${LONGEST_TOKEN} characters`);
        const caller = await deps.access.identify(sent.key, request);
        const { access, sessions } = deps;
        const cookie = access.hasProjectAuth
          ? sessions.hold(request, sent.key)
          : await sessions.open(request, caller);
        const headers = { "set-cookie": cookie };
        return sent.isForm
          ? seeOther(sent.next === "" ? `${rootOf(request)}/` : ownPath(sent.next), headers)
          : json(await sessionOf(caller, deps), 200, headers);
      } catch (error) {
        if (!sent.isForm) throw error;
        if (error instanceof Unauthenticated || error instanceof AuthRefusal)
          return again("wrong", request, sent);
        if (error instanceof Denied) return again("denied", request, sent);
        if (error instanceof TooMany) return again("limited", request, sent);
        throw error;
      }
    },
  );

const signOut = (deps: SignInDeps) =>
  operation(
    {
      method: "POST",
      path: "/sign-out",
      access: page,
      bodyLimit: "none",
      tag,
      summary: "Sign out",
      answers: { 204: "Signed out", 303: "The sign-in page" },
      unlisted: true,
    },
    async ({ request }) => {
      if (!mayUseCookie(request, deps.sessions.publicUrl))
        throw new Denied("Only a page of this server may sign out");
      const headers = { "set-cookie": await deps.sessions.close(request) };
      const isForm = FORM.test(request.headers.get("content-type") ?? "");
      return isForm ? seeOther(`${rootOf(request)}/sign-in`, headers) : empty(headers);
    },
  );

const mustSignIn = ({ access }: SignInDeps) => access.keysRequired || access.hasProjectAuth;

async function signedInAs(
  { access, sessions }: SignInDeps,
  request: Request,
): Promise<Caller | null | undefined> {
  if (!access.hasProjectAuth) return access.keysRequired ? sessions.callerOf(request) : undefined;
  try {
    // As any request of the page is admitted: the project may have a sign-in of its own.
    return await access.admit(request, chatSurroundings);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

async function sessionOf(caller: Caller | null | undefined, deps: SignInDeps): Promise<ShownSignIn> {
  const { access, workspaceId, findWorkspace, hasConsole } = deps;
  const required = mustSignIn(deps);
  const workspace = required ? caller?.workspaceId : workspaceId;
  return {
    required,
    signed_in: caller !== undefined && caller !== null,
    workspace: workspace === undefined ? null : named(await findWorkspace(workspace)),
    has_console: hasConsole,
    // Whether what is of the whole server is theirs to see.
    is_operator: !required || caller?.scope === "organization",
    // What a person is known by there is the project's to say.
    ...(access.hasProjectAuth && { asks_for: "token" }),
  };
}

const named = ({ id, name }: Pick<WorkspaceRow, "id" | "name">) => ({ id, name });

/**
 * What somebody typed.
 * @throws Invalid, TooLarge
 */
export const keyIn = async (request: Request): Promise<string> => (await readSent(request)).key;

/** Throws `Invalid`, `TooLarge`. */
async function readSent(request: Request): Promise<Sent> {
  if (FORM.test(request.headers.get("content-type") ?? "")) {
    const fields = new URLSearchParams(await readText(request, MOST_BYTES));
    return { key: fields.get("api_key")?.trim() ?? "", next: fields.get("next") ?? "", isForm: true };
  }
  const body = await readBody(request, MOST_BYTES);
  if ("fault" in body) throw new Invalid([body.fault]);
  const { value } = body;
  const key = typeof value === "object" && value !== null && "api_key" in value ? value.api_key : undefined;
  if (key === undefined) throw Invalid.body("api_key", "Field required", undefined, "missing");
  if (typeof key !== "string")
    throw Invalid.body("api_key", "Input should be a valid string", undefined, "string_type");
  return { key: key.trim(), next: "", isForm: false };
}

function again(error: "wrong" | "denied" | "limited", request: Request, { next }: Sent): Response {
  const query = new URLSearchParams({ error, ...(next === "" ? {} : { next: ownPath(next) }) });
  return seeOther(`${rootOf(request)}/sign-in?${query}`);
}

/** Where the page is that somebody signs in to or out of: the chat of a deployment has a path in front. */
const rootOf = ({ url }: Request): string => new URL(url).pathname.replace(/\/sign-(?:in|out)\/?$/, "");

const seeOther = (location: string, headers: Record<string, string> = {}) =>
  new Response(null, { status: 303, headers: { location, ...headers } });

/** The address to go on to, if it is one of ours: whoever gives a link must not choose where a sign-in ends. */
function ownPath(next: string): string {
  const base = "http://own.invalid";
  if (!URL.canParse(next, base)) return "/";
  const { origin, pathname, search } = new URL(next, base);
  // Two slashes would begin the name of another host.
  return origin === base && !pathname.startsWith("//") ? pathname + search : "/";
}
