import { type AuthUser, type ProjectAuth, studioUser } from "@berth/agent";
import { Denied, KEY_PREFIX, Unauthenticated } from "@berth/store";
import { isOpen, type Policy } from "../access/index.ts";
import type { Guard } from "../authorization/index.ts";
import { isLoopbackHost } from "../reach/index.ts";
import { type Caller, callOf, strangerWith } from "./call.ts";
import { type HasWorkspace, inWorkspace } from "./caller.ts";
import { networkOf } from "./client-address.ts";
import type { Cors } from "./cors.ts";
import { digestOf, KeyCheck, type KeyOptions, keyMissing, type Recognised } from "./keys.ts";
import { isOpenedPage, mayUseCookie, originOf } from "./own-page.ts";
import { passwordOf } from "./password.ts";
import { hasUserCookie, type SignInSessions } from "./sessions.ts";
import { TooMany } from "./too-many.ts";

export type AccessOptions = KeyOptions & {
  /** True once any key exists, or when the process listens on more than loopback. */
  keysRequired(): boolean;
  /** Nobody but the gateway reaches this process (`front.ts` sees to it), and it has asked for a key already. */
  behindGateway?: boolean;
  cors: Cors;
  /** Where others reach this server, as it was set. */
  announced?: string | null;
  /** The browsers in which somebody signed in; none where nobody can. */
  sessions?: Pick<SignInSessions, "callerOf" | "tokenOf" | "publicUrl">;
  /** Where the project says who may call: it stands in for keys on everything that is the project's. */
  project?: { auth: ProjectAuth; guardOf(user: AuthUser): Guard };
  /** Whether a key of any workspace may sign in. */
  anyWorkspace?: boolean;
  /** Whether a deployment's project says itself who may call it, and needs no key of ours. */
  hasOwnAuth?: ((deploymentId: string) => Promise<boolean>) | undefined;
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
  readonly #keys: KeyCheck;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#keys = new KeyCheck(options);
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

  /** Whether whoever calls has to say who it is. */
  isGuarded({ owner }: Policy): boolean {
    return this.asksForKeys || (this.hasProjectAuth && owner === "project");
  }

  /** The caller, or null where anybody may. Throws `Unauthenticated` or `Denied`. */
  async admit(request: Request, policy: Policy): Promise<Caller | null> {
    const { asks, owner } = policy;
    if (asks === "nobody") return null;
    if (asks === "gateway token" && this.#options.behindGateway === true) return null;
    if (this.hasProjectAuth && owner === "project") return this.#admitUser(request, policy);
    if (this.keysRequired && isOpen(policy)) return null;
    if (asks === "deployment") return this.admitTo(deploymentOf(request), request, policy);
    return this.keysRequired ? this.#admitKey(request, policy) : this.#admitNeighbour(request, policy);
  }

  /** A caller of a deployment, also at what is open there to everybody. Throws `Unauthenticated` or `Denied`. */
  async admitTo(deploymentId: string, request: Request, policy: Policy): Promise<Caller> {
    if (!this.keysRequired) return this.#admitNeighbour(request, policy);
    if (this.#options.hasOwnAuth) return this.#admitVisitor(request, policy, deploymentId);
    return this.#admitKey(request, policy);
  }

  async #admitKey(request: Request, policy: Policy): Promise<Caller> {
    const secret = secretOf(request.headers) ?? passwordOf(request, policy);
    if (secret === undefined) return this.#admitSignedIn(request, policy);
    const caller = await this.#keys.callerOf(secret, this.#guesserOf(request));
    return this.#checked(caller, request, policy);
  }

  /** Whether a text that somebody sends to a project's own users' door is a key of ours; see {@link KeyCheck.recognise}. */
  recognise(secret: string, request: Request): Promise<Recognised> {
    return this.#keys.recognise(secret, this.#guesserOf(request));
  }

  /** A project did not know a stranger either: counts what was sent. */
  refused(request: Request): void {
    for (const { secret } of secretsOf(request.headers)) this.guessed(secret, request);
  }

  /** The same of a text that was sent to sign in with. */
  guessed(secret: string, request: Request): void {
    this.#keys.refused(secret, this.#guesserOf(request));
  }

  /**
   * Whom a wrong key counts against: the client's network. What a page of another origin sends counts apart, or it
   * could use up what its visitor may send.
   */
  #guesserOf(request: Request): string {
    const { cors, sessions } = this.#options;
    const network = networkOf(callOf(request).client);
    const isForeign =
      originOf(request, sessions?.publicUrl ?? "http://localhost") === "elsewhere" &&
      !cors.isNamed(request.headers.get("origin"));
    return isForeign ? `${network} by pages of other origins` : network;
  }

  /**
   * Whoever signs in with a secret: the owner of a key, or where the project says who may call, its user.
   * Throws `Unauthenticated`, `Denied`, `TooMany` or what the project throws.
   */
  async identify(secret: string, request: Request): Promise<Caller> {
    const { project, attempts, sessions } = this.#options;
    const client = this.#guesserOf(request);
    if (!project) return this.#atHome(await this.#keys.callerOf(secret, client));
    const digest = digestOf(secret).toString("base64");
    attempts?.begin(client, digest);
    const user = await this.#userBehind(signedRequest(sessions, secret));
    attempts?.succeeded(client, digest);
    return user;
  }

  /** At a deployment whose project says itself who may call, whoever has no key of ours is the project's to know. */
  async #admitVisitor(request: Request, policy: Policy, deploymentId: string): Promise<Caller> {
    if (!(await this.#options.hasOwnAuth?.(deploymentId))) return this.#admitKey(request, policy);
    const client = this.#guesserOf(request);
    const given = secretsOf(request.headers);
    const found = await Promise.all(
      given.map(async ({ header, secret }) => ({ header, ...(await this.#keys.recognise(secret, client)) })),
    );
    const keyHeaders = found.filter(({ isKey }) => isKey).map(({ header }) => header);
    const owner = found.find(({ caller }) => caller !== undefined)?.caller;
    if (owner)
      return {
        ...(await this.#checked(owner, request, policy)),
        atOwnAuth: { isStranger: false, keyHeaders },
      };
    const stranger = strangerWith(keyHeaders);
    if (given.length > 0 || hasUserCookie(request)) return stranger;
    try {
      const signedIn = await this.#admitSignedIn(request, policy);
      return { ...signedIn, atOwnAuth: { isStranger: false, keyHeaders } };
    } catch (error) {
      if (error instanceof Unauthenticated || error instanceof Denied) return stranger;
      throw error;
    }
  }

  async #admitUser(request: Request, policy: Policy): Promise<Caller | null> {
    const { project, sessions } = this.#options;
    const { asks } = policy;
    const isForClients = asks === "workspace key, or a client of the project" && request.method === "GET";
    if (!project || isOpen(policy) || isForClients) return null;
    const reader = asks === "workspace or metrics key" ? await this.#metricsReader(request) : undefined;
    if (reader) return reader;
    if (!project.auth.studioDisabled && (await this.#isStudio(request, policy)))
      return this.#callerFor(studioUser);
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
    const caller = await this.#keys.callerOf(secret, this.#guesserOf(request));
    return caller?.scope === "metrics" ? caller : undefined;
  }

  /** Whoever says so is at the Studio if they are also who this server would serve without the project's auth. */
  async #isStudio(request: Request, policy: Policy): Promise<boolean> {
    if (request.headers.get("x-auth-scheme") !== "langsmith" || callOf(request).isNobody) return false;
    try {
      if (!this.keysRequired) return this.#admitNeighbour(request, policy) !== null;
      const secret = request.headers.get("x-api-key");
      const caller =
        secret === null ? undefined : await this.#keys.callerOf(secret, this.#guesserOf(request));
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

  async #admitSignedIn(request: Request, policy: Policy): Promise<Caller> {
    const { sessions } = this.#options;
    const signedIn = sessions?.callerOf(request);
    if (sessions === undefined || signedIn === undefined) throw keyMissing();
    const caller = await signedIn;
    if (caller === undefined)
      throw new Unauthenticated("The sign-in has ended: sign in again, or send an API key as X-Api-Key");
    if (!mayUseCookie(request, sessions.publicUrl))
      throw new Denied("A sign-in counts for requests from this server's own pages only");
    return this.#checked(caller, request, policy);
  }

  #admitNeighbour(request: Request, policy: Policy): Caller {
    const { behindGateway, workspaceId } = this.#options;
    if (behindGateway !== true) refuseStranger(request, policy, this.#options);
    return { keyId: null, workspaceId };
  }

  #checked(caller: Caller | undefined, request: Request, policy: Policy): Caller | Promise<Caller> {
    const { hasWorkspace } = this.#options;
    if (caller?.scope === "metrics" && policy.asks === "workspace or metrics key") return caller;
    if (caller?.scope === "metrics") throw new Denied(METRICS_ONLY);
    if (caller === undefined || hasWorkspace === undefined || policy.tenant === "home")
      return this.#atHome(caller);
    return inWorkspace(request, caller, { tenant: policy.tenant, hasWorkspace });
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

const METRICS_ONLY = "This API key reads /metrics and nothing else";

/** Which deployment a request is to. */
const deploymentOf = (request: Request): string => callOf(request).place?.params.deployment_id ?? "";

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

/** What proxies add to a request. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;
const REMEDY = 'set SERVICE_API_KEY, or create a key with "berth keys create"';

type Rules = {
  cors: Pick<Cors, "isNeighbour">;
  /** Where others reach this server, as it was set (`PUBLIC_URL`). */
  announced?: string | null | undefined;
};

/**
 * Without keys, whoever is on this machine may do everything, and nobody else may anything: neither a name that was
 * rebound to loopback, nor a page of another site, nor who comes through a proxy, which is on this machine itself.
 * @throws Denied
 */
function refuseStranger(request: Request, policy: Policy, { cors, announced }: Rules): void {
  if (announced && !isLoopbackHost(new URL(announced).host))
    throw new Denied(
      `PUBLIC_URL is ${announced}, so others reach this server: it needs an API key. To make one, ${REMEDY}`,
    );
  const host = request.headers.get("host") ?? hostOf(request.url);
  if (!isLoopbackHost(host))
    throw new Denied("This server has no API key, so it answers only to a loopback name such as localhost");
  for (const name of request.headers.keys())
    if (FORWARDED.test(name))
      throw new Denied(
        `This request came through a proxy (${name}). Without an API key, everybody who reaches the proxy could do everything: ${REMEDY}`,
      );
  if (isOfForeignPage(request, policy, cors))
    throw new Denied(
      "This server has no API key, so pages of other sites may not call it: name the page's origin in CORS_ALLOW_ORIGINS",
    );
}

/**
 * Whether a page of another site sends a request. Browsers leave `Origin` out of a GET for an image or a script, and say
 * then only that it is cross-site.
 */
function isOfForeignPage(request: Request, { asks, signIn }: Policy, cors: Rules["cors"]): boolean {
  // Any page may load these files: the document of a component has no origin to name.
  if (asks === "file" || asks === "component file") return false;
  const origin = request.headers.get("origin");
  if (origin !== null) return !cors.isNeighbour(origin);
  if (request.headers.get("sec-fetch-site") !== "cross-site") return false;
  // A person may follow a link to a page.
  const isPage = asks === "visitor" || signIn !== undefined;
  return !(isPage && isOpenedPage(request));
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? "";
}
