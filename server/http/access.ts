import { type AuthUser, type ProjectAuth, studioUser } from "@berth/agent";
import { Denied, KEY_PREFIX, Unauthenticated } from "@berth/store";
import type { Guard } from "../authorization/guard.ts";
import { type Caller, callOf, strangerWith } from "./call.ts";
import { isBehindGateway, isControlPlane } from "./control-plane.ts";
import type { Cors } from "./cors.ts";
import { CLAIM_PATH } from "./gateway-token.ts";
import { digestOf, type KeyOptions, Keys, keyMissing, type Recognised } from "./keys.ts";
import { refuseStranger } from "./neighbours.ts";
import { mayUseCookie } from "./own-page.ts";
import { passwordOf } from "./password.ts";
import { TooMany } from "./rate-limit.ts";
import { hasUserCookie, type Sessions } from "./sessions.ts";
import { type HasWorkspace, inWorkspace } from "./tenant.ts";

export type AccessOptions = KeyOptions & {
  /** True once any key exists, or when the process listens on more than loopback. */
  keysRequired(): boolean;
  /** Nobody but the gateway reaches this process (`front.ts` sees to it), and it has asked for a key already. */
  behindGateway?: boolean;
  cors: Cors;
  /** Where others reach this server, as it was set. */
  announced?: string | null;
  /** The browsers in which somebody signed in; none where nobody can. */
  sessions?: Pick<Sessions, "callerOf" | "tokenOf" | "publicUrl">;
  /** Where the project says who may call: it stands in for keys on everything that is the project's. */
  project?: { auth: ProjectAuth; guardOf(user: AuthUser): Guard };
  /** What needs no key beside `/ok`: page assets, sign-in, signed uploads. */
  isOpen?(pathname: string, method: string): boolean;
  /** Files that a page loads without a key, which may be one without an origin. */
  isFile?(pathname: string, method: string): boolean;
  /** Whether a key of any workspace may sign in. */
  anyWorkspace?: boolean;
  /** Whether a path leads to a deployment whose project says itself who may call it, and needs no key of ours. */
  hasOwnAuth?: ((pathname: string) => Promise<boolean>) | undefined;
  /** Where this process has a control plane: there, keys of any workspace are good, and each sees its own rows. */
  hasWorkspace?: HasWorkspace | undefined;
};

/**
 * Decides who may call. With keys, a request needs one. Without, only this machine is served, and only under
 * its own name and to its own pages, so that a web page cannot reach it, be it by a DNS name rebound to
 * loopback (the `Host` value gives it away) or by a cross-site request (the `Origin` does).
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #keys: Keys;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#keys = new Keys(options);
  }

  /** The same with keys only, of whatever workspace: how one signs in where deployments are. */
  forDeployments(): Access {
    const { project: _, ...options } = this.#options;
    return new Access({ ...options, anyWorkspace: true });
  }

  get keysRequired(): boolean {
    return this.#options.behindGateway !== true && this.#options.keysRequired();
  }

  /** Whether callers have to send a key: to us, or to the gateway in front of us. */
  get asksForKeys(): boolean {
    return this.#options.behindGateway === true || this.keysRequired;
  }

  /** Whether a gateway stands in front of us, which has its own keys. */
  get isBehindGateway(): boolean {
    return this.#options.behindGateway === true;
  }

  /** Whether the project says who may call, and not keys. */
  get hasProjectAuth(): boolean {
    return this.#options.project !== undefined;
  }

  /** Whether whoever calls `pathname` has to say who it is. */
  isGuarded(pathname: string): boolean {
    return this.asksForKeys || (this.hasProjectAuth && !isControlPlane(pathname));
  }

  /** The caller, or null where anybody may. Throws `Unauthenticated` or `Denied`. */
  admit(request: Request, pathname: string): Caller | null | Promise<Caller | null> {
    if (pathname === "/ok") return null;
    if (this.#options.behindGateway === true && pathname === CLAIM_PATH) return null;
    if (this.hasProjectAuth && !isControlPlane(pathname)) return this.#admitUser(request, pathname);
    if (this.keysRequired && this.#options.isOpen?.(pathname, request.method) === true) return null;
    if (!this.keysRequired && this.#options.isFile?.(pathname, request.method) === true)
      return this.#admitNeighbour(request, true);
    return this.admitWhereClosed(request, pathname);
  }

  /** The same where nothing is open to everybody, whatever the path. Throws `Unauthenticated` or `Denied`. */
  admitWhereClosed(request: Request, pathname: string): Caller | Promise<Caller> {
    if (!this.keysRequired) return this.#admitNeighbour(request);
    if (this.#options.hasOwnAuth && isBehindGateway(pathname)) return this.#admitVisitor(request, pathname);
    return this.#admitKey(request, pathname);
  }

  #admitKey(request: Request, pathname: string): Caller | Promise<Caller> {
    const secret = secretOf(request.headers) ?? passwordOf(request, pathname);
    if (secret === undefined) return this.#admitSignedIn(request, pathname);
    const caller = this.#keys.callerOf(secret, callOf(request).client);
    if (caller instanceof Promise) return caller.then((found) => this.#checked(found, request, pathname));
    return this.#checked(caller, request, pathname);
  }

  /** Whether a text that somebody sends to a project's own users' door is a key of ours; see {@link Keys.recognise}. */
  recognise(secret: string, client: string): Promise<Recognised> {
    return this.#keys.recognise(secret, client);
  }

  /** A project did not know a stranger either: counts what was sent. */
  refused(request: Request): void {
    for (const { secret } of secretsOf(request.headers)) this.guessed(secret, callOf(request).client);
  }

  /** The same of a text that was sent to sign in with. */
  guessed(secret: string, client: string): void {
    this.#keys.refused(secret, client);
  }

  /**
   * Whoever signs in with a secret: the owner of a key, or where the project says who may call, its user.
   * Throws `Unauthenticated`, `Denied`, `TooMany` or what the project throws.
   */
  async identify(secret: string, client: string): Promise<Caller> {
    const { project, attempts, sessions } = this.#options;
    if (!project) return this.#atHome(await this.#keys.callerOf(secret, client));
    const digest = digestOf(secret).toString("base64");
    attempts?.begin(client, digest);
    const user = await this.#userBehind(signedRequest(sessions, secret));
    attempts?.succeeded(client, digest);
    return user;
  }

  /** At a deployment whose project says itself who may call, whoever has no key of ours is the project's to know. */
  async #admitVisitor(request: Request, pathname: string): Promise<Caller> {
    if (!(await this.#options.hasOwnAuth?.(pathname))) return this.#admitKey(request, pathname);
    const { client } = callOf(request);
    const given = secretsOf(request.headers);
    const found = await Promise.all(
      given.map(async ({ header, secret }) => ({ header, ...(await this.#keys.recognise(secret, client)) })),
    );
    const keyHeaders = found.filter(({ isKey }) => isKey).map(({ header }) => header);
    const owner = found.find(({ caller }) => caller !== undefined)?.caller;
    if (owner)
      return {
        ...(await this.#checked(owner, request, pathname)),
        atOwnAuth: { isStranger: false, keyHeaders },
      };
    const stranger = strangerWith(keyHeaders);
    if (given.length > 0 || hasUserCookie(request)) return stranger;
    try {
      const signedIn = await this.#admitSignedIn(request, pathname);
      return { ...signedIn, atOwnAuth: { isStranger: false, keyHeaders } };
    } catch (error) {
      if (error instanceof Unauthenticated || error instanceof Denied) return stranger;
      throw error;
    }
  }

  async #admitUser(request: Request, pathname: string): Promise<Caller | null> {
    const { project, sessions } = this.#options;
    const isOpen = this.#options.isOpen?.(pathname, request.method) === true;
    // Clients ask for it before they know whom to be.
    if (!project || isOpen || (request.method === "GET" && pathname === "/info")) return null;
    const reader = pathname === METRICS_PATH ? await this.#metricsReader(request) : undefined;
    if (reader) return reader;
    if (!project.auth.studioDisabled && (await this.#isStudio(request))) return this.#callerFor(studioUser);
    const token = secretOf(request.headers) === undefined ? sessions?.tokenOf(request) : undefined;
    if (token === undefined) return this.#userBehind(request);
    if (!mayUseCookie(request, sessions?.publicUrl ?? ""))
      throw new Denied("A sign-in counts for requests from this server's own pages only");
    return this.#userBehind(withToken(request, token));
  }

  /** A key for metrics is good for them also where the project knows its users by something else. */
  async #metricsReader(request: Request): Promise<Caller | undefined> {
    const secret = secretOf(request.headers) ?? "";
    // Anything else is the project's, and no wrong key.
    if (!secret.startsWith(KEY_PREFIX)) return undefined;
    const caller = await this.#keys.callerOf(secret, callOf(request).client);
    return caller?.scope === "metrics" ? caller : undefined;
  }

  /** Whoever says so is at the Studio if they are also who this server would serve without the project's auth. */
  async #isStudio(request: Request): Promise<boolean> {
    if (request.headers.get("x-auth-scheme") !== "langsmith" || callOf(request).isNobody) return false;
    try {
      if (!this.keysRequired) return this.#admitNeighbour(request) !== null;
      const secret = request.headers.get("x-api-key");
      const caller = secret === null ? undefined : await this.#keys.callerOf(secret, callOf(request).client);
      return this.#atHome(caller) !== null;
    } catch (error) {
      if (error instanceof Denied || error instanceof Unauthenticated || error instanceof TooMany)
        return false;
      throw error;
    }
  }

  /** The project reads the request, but not its body, which is the route's. */
  async #userBehind(request: Request): Promise<Caller> {
    const { project } = this.#options;
    if (!project) throw new Unauthenticated("Not authenticated");
    const { url, method, headers, signal } = request;
    return this.#callerFor(await project.auth.authenticate(new Request(url, { method, headers, signal })));
  }

  #callerFor(user: AuthUser): Caller {
    const { project, workspaceId } = this.#options;
    return { keyId: null, workspaceId, ...(project && { guard: project.guardOf(user) }) };
  }

  async #admitSignedIn(request: Request, pathname: string): Promise<Caller> {
    const { sessions } = this.#options;
    const signedIn = sessions?.callerOf(request);
    if (sessions === undefined || signedIn === undefined) throw keyMissing();
    const caller = await signedIn;
    if (caller === undefined)
      throw new Unauthenticated("The sign-in is over: sign in again, or send an API key as X-Api-Key");
    if (!mayUseCookie(request, sessions.publicUrl))
      throw new Denied("A sign-in counts for requests from this server's own pages only");
    return this.#checked(caller, request, pathname);
  }

  #admitNeighbour(request: Request, anyOrigin = false): Caller {
    const { behindGateway, workspaceId } = this.#options;
    if (behindGateway !== true) refuseStranger(request, { ...this.#options, anyOrigin });
    return { keyId: null, workspaceId };
  }

  #checked(caller: Caller | undefined, request: Request, pathname: string): Caller | Promise<Caller> {
    const { hasWorkspace } = this.#options;
    if (caller?.scope === "metrics" && pathname === METRICS_PATH && isReading(request)) return caller;
    if (caller?.scope === "metrics") throw new Denied(METRICS_ONLY);
    if (caller === undefined || hasWorkspace === undefined || !isControlPlane(pathname))
      return this.#atHome(caller);
    return inWorkspace(request, caller, { pathname, hasWorkspace });
  }

  /** What this process serves itself is of one workspace. */
  #atHome(caller: Caller | undefined): Caller {
    const { workspaceId } = this.#options;
    if (caller === undefined) throw new Unauthenticated("Invalid API key");
    if (caller.scope === "metrics") throw new Denied(METRICS_ONLY);
    if (caller.workspaceId === workspaceId || this.#options.anyWorkspace) return caller;
    if (caller.scope !== "organization") throw new Denied("This API key belongs to another workspace");
    return { ...caller, workspaceId };
  }
}

/** Where figures are read: neither counted against a caller's limit, nor closed to a key that is for them alone. */
export const METRICS_PATH = "/metrics";
const METRICS_ONLY = "This API key reads /metrics and nothing else";

const isReading = ({ method }: Request) => method === "GET" || method === "HEAD";

const secretOf = (headers: Headers): string | undefined => secretsOf(headers)[0]?.secret;

/** What may be a key, the likelier first. */
function secretsOf(headers: Headers): { header: string; secret: string }[] {
  const key = headers.get("x-api-key") ?? "";
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return [
    { header: "x-api-key", secret: key },
    { header: "authorization", secret: bearer },
  ].filter(({ secret }) => secret !== "");
}

/** The request as a client would send it that has the token. */
function withToken(request: Request, token: string): Request {
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  headers.set("x-api-key", token);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** What somebody typed to sign in, as a request that brings it. */
const signedRequest = (sessions: AccessOptions["sessions"], secret: string) =>
  withToken(new Request(new URL("/api/session", sessions?.publicUrl ?? "http://localhost")), secret);
