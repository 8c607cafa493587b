import { Denied, Unauthenticated } from "@berth/store";
import type { Caller } from "./call.ts";
import type { Cors } from "./cors.ts";
import { type KeyOptions, Keys } from "./keys.ts";
import { isLoopbackHost } from "./loopback.ts";
import { mayUseCookie } from "./own-page.ts";
import { passwordOf } from "./password.ts";
import type { Sessions } from "./sessions.ts";

export type AccessOptions = KeyOptions & {
  /** True once any key exists, or when the process listens on more than loopback. */
  keysRequired(): boolean;
  cors: Cors;
  /** The browsers in which somebody signed in; none where nobody can. */
  sessions?: Pick<Sessions, "callerOf" | "publicUrl">;
  /** Paths that need no key beside `/ok`: page assets, sign-in, signed uploads. */
  isOpen?(pathname: string): boolean;
  /** Paths where a key of any workspace is good (each sees its own rows); elsewhere only this one's is. */
  isShared?(pathname: string): boolean;
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

  get keysRequired(): boolean {
    return this.#options.keysRequired();
  }

  /** The caller, or null where anybody may. Throws `Unauthenticated` or `Denied`. */
  admit(request: Request, pathname: string): Caller | null | Promise<Caller | null> {
    if (pathname === "/ok") return null;
    if (!this.keysRequired) return this.#admitNeighbour(request);
    if (this.#options.isOpen?.(pathname) === true) return null;
    const secret = secretOf(request.headers) ?? passwordOf(request, pathname);
    if (secret === undefined) return this.#admitSignedIn(request, pathname);
    return this.identify(secret, pathname);
  }

  /** The owner of a key, for whoever may use `pathname`. Throws `Unauthenticated` or `Denied`. */
  identify(secret: string, pathname: string): Caller | Promise<Caller> {
    const caller = this.#keys.callerOf(secret);
    if (caller instanceof Promise) return caller.then((found) => this.#checked(found, pathname));
    return this.#checked(caller, pathname);
  }

  async #admitSignedIn(request: Request, pathname: string): Promise<Caller> {
    const { sessions } = this.#options;
    const signedIn = sessions?.callerOf(request);
    if (sessions === undefined || signedIn === undefined)
      throw new Unauthenticated("Missing API key: send it as X-Api-Key");
    const caller = await signedIn;
    if (caller === undefined)
      throw new Unauthenticated("The sign-in is over: sign in again, or send an API key as X-Api-Key");
    if (!mayUseCookie(request, sessions.publicUrl))
      throw new Denied("A sign-in counts for requests from this server's own pages only");
    return this.#checked(caller, pathname);
  }

  #admitNeighbour(request: Request): Caller {
    const host = request.headers.get("host") ?? hostOf(request.url);
    if (!isLoopbackHost(host)) throw new Denied("Without an API key only loopback host names are served");
    const origin = request.headers.get("origin");
    if (origin !== null && !this.#options.cors.isNeighbour(origin))
      throw new Denied("This origin may not call a server without an API key");
    return { keyId: null, workspaceId: this.#options.workspaceId };
  }

  #checked(caller: Caller | undefined, pathname: string): Caller {
    if (caller === undefined) throw new Unauthenticated("Invalid API key");
    if (caller.workspaceId !== this.#options.workspaceId && this.#options.isShared?.(pathname) !== true)
      throw new Denied("This API key belongs to another workspace");
    return caller;
  }
}

function secretOf(headers: Headers): string | undefined {
  const key = headers.get("x-api-key");
  if (key !== null && key !== "") return key;
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? "";
}
