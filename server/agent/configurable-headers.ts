import { configurableUser } from "@berth/agent";
import { callOf } from "../http/index.ts";

/** Which request headers graphs may read: names, with `*` for any part; what is excluded stays out. */
type HeaderRules = {
  includes?: readonly string[] | undefined;
  excludes?: readonly string[] | undefined;
};

const PRIVATE = new Set([
  "x-api-key",
  "x-tenant-id",
  "x-service-key",
  "x-auth-scheme",
  "authorization",
  "proxy-authorization",
  "cookie",
]);

/** Whether graphs may read a header, by its name in small letters. */
type HeaderRule = (name: string) => boolean;

const usual: HeaderRule = (name) => (name.startsWith("x-") || name === "user-agent") && !PRIVATE.has(name);

/** A credential is never meant by a wildcard: its owner names it. */
export function headerRule({ includes, excludes = [] }: HeaderRules): HeaderRule {
  const refused = excludes.map(pattern);
  const wanted = includes?.map(pattern);
  const named = new Set(includes?.map((name) => name.toLowerCase()));
  return (name) => {
    if (refused.some((one) => one.test(name))) return false;
    if (!wanted) return usual(name);
    return named.has(name) || (!PRIVATE.has(name) && wanted.some((one) => one.test(name)));
  };
}

/**
 * What graphs are told of a request in `configurable`: headers that they may read, by default `x-*` and
 * `user-agent` and never a credential (`agent-server.md` §5.6), and who sent it.
 */
export function requestConfigurable(request: Request): Record<string, unknown> {
  const { headerRule = usual, caller } = callOf(request);
  const found: Record<string, unknown> = {};
  for (const [name, value] of request.headers) if (headerRule(name)) found[name] = value;
  return caller?.guard ? { ...found, ...configurableUser(caller.guard.user) } : found;
}

function pattern(text: string): RegExp {
  const parts = text
    .toLowerCase()
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
