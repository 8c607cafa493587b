import { installOptional } from "./apt.ts";

/** Installs nginx and Caddy where they are missing and can be installed, for the tests of docs/reverse-proxy.md and docs/load-balancer.md. */
export async function ensureProxies(): Promise<void> {
  if (!Bun.which("nginx")) await installOptional("nginx-light", "the tests of proxies");
  if (!Bun.which("caddy")) await installOptional("caddy", "the tests of proxies");
}
