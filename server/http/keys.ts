import { timingSafeEqual } from "node:crypto";
import { durationsOf, Unauthenticated } from "@berth/store";
import type { Caller } from "./call.ts";
import type { Attempts } from "./rate-limit.ts";

export type KeyOptions = {
  /** Looks a key up; undefined when there is no such key or it was revoked. */
  verify(secret: string): Promise<Omit<Caller, "guard"> | undefined>;
  /** The operator's own key (`SERVICE_API_KEY`), good for `workspaceId`. */
  serviceKey?: string | undefined;
  workspaceId: string;
  clock: { now(): number };
  /** Counts wrong keys by client; any number may be sent where it is absent. */
  attempts?: Attempts | undefined;
  /** The same of what may be meant for somebody else: who has sent too many of those is kept from nothing else. */
  guesses?: Attempts | undefined;
};

/** What is known of a text that may be a key. */
export type Recognised = {
  isKey: boolean;
  /** Its owner; not the operator where too many guesses came before it. */
  caller: Caller | undefined;
};

/** Stands for the operator's own key where stored keys have their id. */
export const SERVICE_KEY_ID = "service";

export const keyMissing = (): Unauthenticated => new Unauthenticated("Missing API key: send it as X-Api-Key");

// A revoked key stops within five seconds; the rest is for the request that is under way.
const trustMs = 4_000;
const mostTrusted = 1_000;

/**
 * Finds who a secret belongs to. A good answer is trusted for four seconds, so that a busy client costs one
 * lookup and not one per request; a bad one is never kept, so that guessing cannot fill the memory.
 */
export class KeyCheck {
  readonly #options: KeyOptions;
  readonly #serviceDigest: Buffer | undefined;
  readonly #trusted = new Map<string, { caller: Caller; until: number }>();

  constructor(options: KeyOptions) {
    this.#options = options;
    this.#serviceDigest = options.serviceKey === undefined ? undefined : digestOf(options.serviceKey);
  }

  /**
   * The key's owner; undefined for a key that is not good.
   * @param client the address of whoever sends it
   * @throws TooMany it has sent too many wrong ones
   */
  async callerOf(secret: string, client: string): Promise<Caller | undefined> {
    const { attempts } = this.#options;
    const digest = digestOf(secret);
    const name = digest.toString("base64");
    attempts?.begin(client, name);
    const caller = await this.#find(secret, digest, name);
    if (caller) attempts?.succeeded(client, name);
    else attempts?.failed(client, name);
    return caller;
  }

  /**
   * Whether a text is a key, and whose: callers of a project that knows them itself send it whatever it asks for. Never
   * refuses; who has guessed too often is not told that it was the operator's, which alone is short enough to be guessed.
   */
  async recognise(secret: string, client: string): Promise<Recognised> {
    const { guesses } = this.#options;
    const digest = digestOf(secret);
    const name = digest.toString("base64");
    const caller = await this.#find(secret, digest, name);
    if (!caller) return { isKey: false, caller };
    if (caller.keyId === SERVICE_KEY_ID && guesses?.isLimited(client, name))
      return { isKey: true, caller: undefined };
    guesses?.succeeded(client, name);
    return { isKey: true, caller };
  }

  /** What is no key was not good for the project either: counts it as a guess. */
  refused(secret: string, client: string): void {
    const { guesses } = this.#options;
    const name = digestOf(secret).toString("base64");
    if (!guesses?.isLimited(client, name)) guesses?.begin(client, name);
  }

  async #find(secret: string, digest: Buffer, name: string): Promise<Caller | undefined> {
    if (this.#serviceDigest !== undefined && timingSafeEqual(digest, this.#serviceDigest))
      return { keyId: SERVICE_KEY_ID, workspaceId: this.#options.workspaceId, scope: "organization" };
    const trusted = this.#trusted.get(name);
    if (trusted !== undefined && trusted.until > durationsOf(this.#options.clock).now())
      return trusted.caller;
    return this.#lookUp(secret, name);
  }

  async #lookUp(secret: string, name: string): Promise<Caller | undefined> {
    const caller = await this.#options.verify(secret);
    this.#trusted.delete(name);
    if (caller === undefined) return undefined;
    const oldest = this.#trusted.keys().next().value;
    if (this.#trusted.size >= mostTrusted && oldest !== undefined) this.#trusted.delete(oldest);
    this.#trusted.set(name, { caller, until: durationsOf(this.#options.clock).now() + trustMs });
    return caller;
  }
}

/** What a secret is known by: equal lengths for the comparison, and no secret as a key of a map. */
export function digestOf(secret: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher("sha256").update(secret).digest());
}
