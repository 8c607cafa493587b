import type { AuthResource } from "@berth/agent";
import type { MetadataFilter } from "@berth/store";
import type { Guard, HandlerValues } from "./guard.ts";

/** What a route has to heed of what the caller may do; nothing where everybody may do everything. */
export type Permit = {
  /** Which rows a search or a count may find. */
  seen?: MetadataFilter | undefined;
  /** Of what the request creates beside what it names. */
  metadata?: HandlerValues | undefined;
  /** Of the runs that the request creates, in its order: what the handlers were told. */
  runIds?: string[] | undefined;
};

/** A request as a rule sees it: read and valid. What a rule changes is what the route gets. */
export type GuardedRequest = { path: Record<string, string>; query: HandlerValues; body: HandlerValues };

/** Asks the handlers that a route depends on. Throws for what the caller may not do. */
export type Ask = (guard: Guard, asked: GuardedRequest) => Promise<Permit>;

/** What an operation asks the project's auth: about which resource and action, and how. */
export type PermitRule = {
  /** `any` for whoever was let in, whatever they may do. */
  readonly resource: AuthResource | "any";
  readonly action: string;
  readonly ask: Ask;
};

/** A rule, as an operation names it. */
export const rule = (resource: PermitRule["resource"], action: string, ask: Ask): PermitRule => ({
  resource,
  action,
  ask,
});
