import { createHash, createHmac, randomBytes } from "node:crypto";
import type { SignIns } from "@berth/store";
import { pathnameOf } from "./address.ts";
import type { Caller } from "./call.ts";
import { SERVICE_KEY_ID } from "./keys.ts";

type SessionOptions = {
  signIns: Pick<SignIns, "create" | "find" | "remove">;
  /** Takes note that a stored key is used, as if it had been sent. */
  touch(keyId: string): void;
  /** The operator's own key: a sign-in with it ends when it changes. */
  serviceKey?: string | undefined;
  /** Our address as browsers know it: where that is https, the cookie stays off plain http. */
  publicUrl: () => string;
  /** The path that everything answers behind, too. */
  prefix?: string;
};

/** The cookie of whoever signed in with a browser. */
export const SESSION_COOKIE = "berth_session";
/**
 * The cookie of whoever signed in at a deployment, to its project and not to us. There it is {@link SESSION_COOKIE}: the
 * deployment signs its users in as any server does, and the gateway gives its cookie another name and its own corner.
 */
export const USER_COOKIE = "berth_user";
/** In front of what is a token itself, and not one of ours. */
const HELD = "held.";
const TOKEN_BYTES = 32;
export const SESSION_DAYS = 30;
const sessionSeconds = SESSION_DAYS * 86_400;

/** Who is signed in, by the cookie of their browser. Of the token in it only a hash is kept. */
export class SignInSessions {
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get publicUrl(): string {
    return this.#options.publicUrl();
  }

  /** The owner of the request's cookie: undefined without a cookie; a promise of it when there is one. */
  callerOf(request: Request): Promise<Caller | undefined> | undefined {
    const token = tokenOf(request);
    return token === undefined ? undefined : this.#find(token);
  }

  /** Signs a caller in, who asks with `request`; gives the `Set-Cookie`. */
  async open(request: Request, { keyId, workspaceId }: Caller): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const [plain, bound] = this.#hashesOf(token);
    const service = keyId === SERVICE_KEY_ID;
    await this.#options.signIns.create({
      token_hash: service ? bound : plain,
      key_id: service ? null : keyId,
      workspace_id: workspaceId,
      ttlMs: sessionSeconds * 1_000,
    });
    return this.#cookie(request, token, sessionSeconds);
  }

  /** Keeps a token of the project's own auth in the browser, where no script can read it; gives the `Set-Cookie`. */
  hold(request: Request, token: string): string {
    return this.#cookie(request, `${HELD}${Buffer.from(token).toString("base64url")}`, sessionSeconds);
  }

  /** The token of the project's own auth that the browser keeps. */
  tokenOf(request: Request): string | undefined {
    const held = tokenOf(request);
    if (!held?.startsWith(HELD)) return undefined;
    return Buffer.from(held.slice(HELD.length), "base64url").toString() || undefined;
  }

  /**
   * Ends the request's sign-in, if it has one; gives the `Set-Cookie` that forgets it. A browser may have another of
   * another path, which ends with it: it would count from then on.
   */
  async close(request: Request): Promise<string> {
    for (const token of tokensOf(request)) await this.#options.signIns.remove(this.#hashesOf(token));
    return this.#cookie(request, "", 0);
  }

  async #find(token: string): Promise<Caller | undefined> {
    const found = await this.#options.signIns.find(this.#hashesOf(token));
    if (!found) return undefined;
    if (found.key_id !== null) this.#options.touch(found.key_id);
    const { key_id, key_name, workspace_id: workspaceId, scope } = found;
    if (key_id === null) return { keyId: SERVICE_KEY_ID, workspaceId, scope: "organization" };
    const named = key_name === null ? {} : { keyName: key_name };
    return { keyId: key_id, ...named, workspaceId, scope: scope ?? "workspace" };
  }

  /**
   * What a token is kept under: made with a stored key, its hash; made with the operator's own, a hash that only
   * this key gives, so that another key in its place finds nothing.
   */
  #hashesOf(token: string): [plain: string, bound: string] {
    const plain = createHash("sha256").update(token).digest("hex");
    const { serviceKey } = this.#options;
    return [plain, serviceKey ? createHmac("sha256", serviceKey).update(token).digest("hex") : plain];
  }

  #cookie(request: Request, value: string, maxAgeSeconds: number): string {
    const secure = this.publicUrl.startsWith("https:") ? "; Secure" : "";
    return `${SESSION_COOKIE}=${value}; Path=${this.#pathFor(request)}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  /**
   * Where the browser knows us under a path, other things at that host are not sent the cookie. A proxy may take the
   * path away: then only the page's origin tells that it came by the public address.
   */
  #pathFor({ url, headers }: Request): string {
    const { prefix = "" } = this.#options;
    if (pathnameOf(url) !== pathnameOf(url, prefix)) return prefix;
    const { origin, pathname } = new URL(this.publicUrl);
    return headers.get("origin") === origin ? pathname : "/";
  }
}

/** Whether the browser is signed in to the project of a deployment. */
export const hasUserCookie = (request: Request): boolean => cookiesOf(request, USER_COOKIE).length > 0;

const tokensOf = (request: Request): string[] => cookiesOf(request, SESSION_COOKIE);

/** Of several, browsers send that of the longest path first. */
const tokenOf = (request: Request): string | undefined => tokensOf(request)[0];

function cookiesOf({ headers }: Request, name: string): string[] {
  const cookies = headers.get("cookie")?.split(";") ?? [];
  return cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1))
    .filter((token) => token !== "");
}
