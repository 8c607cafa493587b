const PRIVATE = new Set(["x-api-key", "x-tenant-id", "x-service-key", "x-auth-scheme"]);

/**
 * The request headers that graphs may read from `configurable`: `x-*` and `user-agent`, never a credential
 * (`agent-server.md` §5.6).
 */
export function configurableHeaders(headers: Headers): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of headers) {
    if ((name.startsWith("x-") || name === "user-agent") && !PRIVATE.has(name)) found[name] = value;
  }
  return found;
}
