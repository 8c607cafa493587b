import { isIP } from "node:net";
import { isLoopbackHost, Reach } from "../reach/index.ts";
import { publicUrlOf, STRONGER, weakKeys } from "../settings/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { factsOf, type Patient } from "./patient.ts";

const PATIENCE_MS = 3_000;
const WILDCARDS = new Set(["0.0.0.0", "::", "[::]"]);

/** Whether there is a place to listen at, or a Berth that does. */
export async function checkPort({ settings, running }: Patient): Promise<DoctorVerdict> {
  const { host, port } = settings;
  if (running) return ok(`it listens on ${host}, port ${running.port}`);
  if (port === 0) return ok("any free one is taken");
  const place = `port ${port} on ${host}`;
  try {
    const server = Bun.serve({ port, hostname: host, reusePort: false, fetch: () => new Response() });
    await server.stop(true);
    return ok(`${place} is free`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES") return failure(`this user may not listen on ${place}`, "take one above 1023");
    if (code !== "EADDRINUSE")
      return failure(
        `nobody can listen on ${place} (${code ?? error})`,
        "set HOST to an address of this machine",
      );
  }
  const own = publicUrlOf({ ...settings, publicUrl: null }, port);
  if (await isBerth(own)) return ok(`a Berth answers on ${place}`);
  return failure(`something else listens on ${place}`, "choose another with PORT or --port");
}

/** Whether the address that is given away leads here, and says what it should. */
export async function checkPublicUrl(patient: Patient): Promise<DoctorVerdict> {
  const { settings, running } = patient;
  const url = running?.publicUrl ?? publicUrlOf(settings, settings.port);
  const { protocol, hostname } = new URL(url);
  const isLocal = isLoopbackHost(hostname);
  if (settings.publicUrl === null && WILDCARDS.has(settings.host))
    return warning(
      `${url} is what links, webhooks and agent cards say, and nobody else gets here by it`,
      "set PUBLIC_URL to the address that others use",
    );
  const here = running ? running.publicUrl : publicUrlOf({ ...settings, publicUrl: null }, settings.port);
  if (!running && settings.port !== 0 && !(await isBerth(here)))
    return ok(`${url}; nothing runs to try it with`);
  if (settings.port !== 0 && !(await isBerth(url)))
    return warning(
      `no Berth answers at ${url}/ok`,
      "look at PUBLIC_URL, and at the proxy in front of this machine",
    );
  if (protocol === "http:" && !isLocal)
    return warning(`${url} is not encrypted: keys travel in the clear`, "put a proxy with TLS in front");
  if (isLocal && !isLoopbackHost(settings.host))
    return warning(`it listens on ${settings.host}, and says that it is at ${url}`, "set PUBLIC_URL");
  return ok(url);
}

/** Whether those may call who should. */
export async function checkKeys(patient: Patient): Promise<DoctorVerdict> {
  const { settings } = patient;
  const facts = await factsOf(patient);
  const stored = facts?.keys ?? 0;
  const make = 'set SERVICE_API_KEY, or run "berth keys create"';
  const [weakness] = weakKeys(settings);
  if (weakness !== undefined) return warning(weakness, STRONGER);
  if (settings.serviceApiKey !== null || stored > 0)
    return ok(`${stored} stored${settings.serviceApiKey === null ? "" : ", and SERVICE_API_KEY"}`);
  if (!isLoopbackHost(settings.host))
    return failure(`there is none, and ${settings.host} is more than this machine`, make);
  if ((facts?.deployments.length ?? 0) > 0)
    return failure("something is deployed, and there is no key: every request is refused", make);
  return ok("none: only this machine may call");
}

/** Whether what webhooks may reach is what somebody can have meant. */
export function checkWebhookAllow({ settings }: Patient): DoctorVerdict {
  const { webhookAllow } = settings;
  if (webhookAllow.length === 0) return ok("webhooks go to public addresses only");
  const wide = webhookAllow.find((range) => Number(range.split("/")[1] ?? 128) < WIDE_BITS);
  if (wide !== undefined)
    return warning(
      `${wide} opens every private network to whoever makes subscriptions`,
      "name the ranges of receivers",
    );
  const useless = webhookAllow.filter((range) => !changesAnything(range));
  if (useless.length > 0)
    return warning(
      `${useless.join(", ")} changes nothing: it is public anyway, or never opened`,
      "leave it out",
    );
  return ok(webhookAllow.join(", "));
}

const WIDE_BITS = 8;

/** Whether its first address may be reached with it and not without. */
function changesAnything(range: string): boolean {
  const [address = ""] = range.split("/");
  const first = address.replace(/\.0$/, ".1");
  const probe = isIP(first) === 0 ? address : first;
  const nobody = { interfaces: () => [] };
  return (
    new Reach([range], nobody).refusal(probe, 0) === undefined &&
    new Reach([], nobody).refusal(probe, 0) !== undefined
  );
}

async function isBerth(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/ok`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: "manual",
    });
    const body: unknown = await answer.json();
    return typeof body === "object" && body !== null && "ok" in body && body.ok === true;
  } catch {
    return false;
  }
}
