import { type Agent, type Clock, type CorsConfig, systemClock } from "@berth/agent";
import {
  type Database,
  DEFAULT_WORKSPACE,
  getWorkspace,
  hasDeployments,
  hashSecret,
  Keys,
  NotFound,
  SignIns,
} from "@berth/store";
import { Guard } from "../authorization/index.ts";
import type { Job } from "../clock/index.ts";
import { StartError } from "../exit/index.ts";
import {
  Access,
  Attempts,
  ClientAddress,
  Cors,
  type CorsRules,
  GatewayToken,
  type PeerOf,
  RateLimit,
  SignInSessions,
} from "../http/index.ts";
import { logger } from "../log/index.ts";
import { isLoopbackHost } from "../reach/index.ts";
import type { Settings } from "../settings/index.ts";

const hasWorkspace = (db: Database) => (id: string) =>
  getWorkspace(db, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NotFound) return false;
      throw error;
    },
  );

const UNPROVEN_PROXY =
  "X-Forwarded-For of a proxy on this machine is not believed, because deployed processes could send it as well: set PROXY_SECRET, and have the proxy send it as X-Berth-Proxy-Secret. Until then, all its clients count as one";

const EVERYBODY = ["0.0.0.0/0", "::/0"];
const log = logger("http");

const KEY_CHECK_MS = 2_000;
const SIGN_IN_SWEEP_MS = 600_000;

/** What a project says of origins beats what the environment says. */
function corsRules({ corsAllowOrigins }: Settings, cors: CorsConfig | undefined): CorsRules {
  if (!cors) return { allowOrigins: corsAllowOrigins };
  const { allow_origins, allow_methods, allow_headers, allow_credentials, expose_headers, max_age } = cors;
  const pattern = cors.allow_origin_regex;
  return {
    allowOrigins: allow_origins ?? (pattern === undefined ? corsAllowOrigins : []),
    // As in Python's `fullmatch`, by which this is read elsewhere.
    ...(pattern !== undefined && { allowOriginRegex: new RegExp(`^(?:${pattern})$`) }),
    ...(allow_methods && { allowMethods: allow_methods }),
    ...(allow_headers && { allowHeaders: allow_headers }),
    ...(allow_credentials !== undefined && { allowCredentials: allow_credentials }),
    ...(expose_headers && { exposeHeaders: expose_headers }),
    ...(max_age !== undefined && { maxAgeSeconds: max_age }),
  };
}

/** Authentication of a project covers its own routes only; the others would be left with nothing. */
function refuseOpenDoor({ host, serviceApiKey }: Settings): void {
  if (isLoopbackHost(host) || serviceApiKey !== null) return;
  throw new StartError(
    `listening on ${host} needs an API key: set SERVICE_API_KEY or create one with "berth keys create"`,
  );
}

type GuardSurroundings = {
  db: Database;
  agent: Agent;
  publicUrl: () => string;
  /** In front of every path, also. */
  prefix?: string;
  peerOf: PeerOf;
  /** Whether deployments are managed here: then keys of other workspaces are good for theirs. */
  controlPlane?: boolean;
  /** In a deployed process: what its own calls bring. */
  ownToken?: string | undefined;
  /** Whether a deployment's project says itself who may call it. */
  hasOwnAuth?: ((deploymentId: string) => Promise<boolean>) | undefined;
  clock?: Clock;
};

/**
 * Everything that decides who may call: API keys, sign-ins, origins.
 * @throws StartError listening on more than loopback without any key
 */
export async function createGuard(settings: Settings, surroundings: GuardSurroundings) {
  const { db, agent, publicUrl, prefix = "", peerOf, ownToken, hasOwnAuth } = surroundings;
  const { controlPlane = false, clock = systemClock } = surroundings;
  const keys = new Keys(db, clock);
  const signIns = new SignIns(db, clock);
  /** Whether deployments' code runs on this machine, which may call from it. */
  let isShared = controlPlane && (await hasDeployments(db));
  // Also when the last key was deleted: deployed agents could do whatever its owner can.
  let keysNeeded = isShared || (await keys.any());
  const exposed = !isLoopbackHost(settings.host);
  const { auth } = agent.project;
  const { gatewayToken } = settings;
  const gateway =
    gatewayToken === null
      ? undefined
      : new GatewayToken(gatewayToken, { hasProjectAuth: auth !== undefined, ownToken });
  if (!gateway && !(await keys.any())) refuseOpenDoor(settings);
  const serviceKey = settings.serviceApiKey ?? undefined;
  // Requests do not wait for this write, because reads work while the database is locked or its disk is full.
  const touch = (keyId: string) => {
    keys.touch(keyId).catch((error) => log.debug("use of a key was not noted", { key: keyId, error }));
  };
  const cors = new Cors(corsRules(settings, agent.project.http?.cors));
  const sessions = new SignInSessions({ signIns, serviceKey, touch, publicUrl, prefix });
  const attempts = new Attempts(clock);
  const access = new Access({
    attempts,
    guesses: new Attempts(clock),
    hasOwnAuth,
    announced: settings.publicUrl,
    behindGateway: gateway !== undefined,
    keysRequired: () => keysNeeded || exposed || serviceKey !== undefined,
    hasWorkspace: controlPlane ? hasWorkspace(db) : undefined,
    sessions,
    ...(auth && { project: { auth, guardOf: (user) => new Guard({ auth, agent }, user) } }),
    cors,
    serviceKey,
    workspaceId: DEFAULT_WORKSPACE.id,
    clock,
    verify: async (secret) => {
      const key = await keys.findByHash(hashSecret(secret));
      if (!key) return undefined;
      touch(key.id);
      return { keyId: key.id, keyName: key.name, workspaceId: key.workspace_id, scope: key.scope };
    },
  });
  const checkKeys = async () => {
    isShared = controlPlane && (await hasDeployments(db));
    keysNeeded = isShared || (await keys.any());
  };
  const jobs: Job[] = [
    { name: "keys.check", everyMs: KEY_CHECK_MS, once: checkKeys, rests: true },
    { name: "sign-ins.sweep", everyMs: SIGN_IN_SWEEP_MS, once: (now) => signIns.sweep(now), byLeader: true },
  ];
  const signIn = {
    access,
    sessions,
    workspaceId: DEFAULT_WORKSPACE.id,
    findWorkspace: (id: string) => getWorkspace(db, id),
    hasConsole: controlPlane,
  };
  const perMinute = settings.rateLimitPerMinute;
  const rateLimit = perMinute > 0 ? new RateLimit(perMinute, clock, gateway !== undefined) : undefined;
  // Whatever comes to a deployed process comes from its gateway, which says for whom.
  const clients = gateway
    ? new ClientAddress({ peerOf, proxies: EVERYBODY })
    : new ClientAddress({
        peerOf,
        proxies: settings.trustedProxies,
        secret: settings.proxySecret,
        isShared: () => isShared,
        onUnproven: () => logger("http").warn`${UNPROVEN_PROXY}`,
      });
  return { access, cors, clients, gateway, rateLimit, signIn, jobs };
}
