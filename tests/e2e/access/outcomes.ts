import type { Asks, BodyLimit, Policy, UnknownFields } from "../../../server/access/index.ts";

/** An operation where it is mounted, as far as access goes. */
export type Declared = Pick<Policy, "plane" | "asks" | "origins" | "tenant" | "owner"> & {
  method: string;
  path: string;
  /** What the project's auth is asked; null where its users are not let in. */
  rule: string | null;
  bodyLimit: BodyLimit;
  takesBody: boolean;
  /** What becomes of undeclared fields; null where no schema describes the body. */
  unknownFields: UnknownFields | null;
};

/** Who asks. */
export const CALLERS = [
  "nobody",
  "wrong key",
  "workspace key",
  "other workspace's key",
  "organization key",
  "organization key, no workspace named",
  "metrics key",
  "nobody, where there are no keys",
  "page elsewhere, where there are no keys",
  "image of a page elsewhere, where there are no keys",
  "nobody, project auth",
  "project user",
  "no gateway, deployed",
  "gateway, deployed",
  "nobody by the gateway, deployed",
] as const;
export type Who = (typeof CALLERS)[number];

/** `in`: the operation itself answers, whatever it says. */
export type Outcome = "in" | "401" | "403";

type Rights = Partial<Record<Who, Outcome>>;

const OPEN: Rights = {};
const HOME: Rights = {
  nobody: "401",
  "wrong key": "401",
  "other workspace's key": "403",
  "metrics key": "403",
};
const ANY_KEY: Rights = { nobody: "401", "wrong key": "401", "metrics key": "403" };
const FOR_ORGANIZATION: Rights = { ...ANY_KEY, "workspace key": "403", "other workspace's key": "403" };

/** What each demand means for those who have, or lack, a key of this server. */
const BY_KEY: Record<Asks, Rights> = {
  nobody: OPEN,
  visitor: OPEN,
  file: OPEN,
  "upload address": OPEN,
  signature: OPEN,
  "instance token": OPEN,
  "registry token": OPEN,
  // Walked with a graph that has no components, where its surroundings count.
  "component file": HOME,
  "gateway token": OPEN,
  "workspace key": HOME,
  "workspace or metrics key": { ...HOME, "metrics key": "in" },
  "workspace key, or a client of the project": HOME,
  "any key": ANY_KEY,
  "some key": ANY_KEY,
  "organization key": FOR_ORGANIZATION,
  "operator key": FOR_ORGANIZATION,
  deployment: ANY_KEY,
};

const isOpen = (asks: Asks): boolean => asks !== "gateway token" && BY_KEY[asks] === OPEN;

/** What a caller gets, by what the operation declares; undefined where the process has no such operation. */
export function outcomeOf(declared: Declared, who: Who): Outcome | undefined {
  const { asks, tenant } = declared;
  const isDeployed = who.endsWith("deployed");
  if (isDeployed ? isControlPlane(declared) : asks === "gateway token") return undefined;
  if (isDeployed) return behindGateway(declared, who);
  if (who === "nobody, project auth" || who === "project user") return byProject(declared, who);
  // A preflight always names its origin, which is a neighbour's here.
  if (who.startsWith("image of a page elsewhere") && declared.method === "OPTIONS") return "in";
  if (who.endsWith("page elsewhere, where there are no keys"))
    return asks === "nobody" || asks === "file" ? "in" : "403";
  if (who === "nobody, where there are no keys")
    return asks === "some key" || asks === "organization key" ? "401" : "in";
  if (who === "organization key, no workspace named" && !isOpen(asks) && tenant === "chosen") return "403";
  return BY_KEY[asks][who] ?? "in";
}

/** What a deployed process leaves to the one that deployed it. */
const isControlPlane = ({ plane, owner }: Declared): boolean => owner === "instance" || plane === "console";

function behindGateway({ asks }: Declared, who: Who): Outcome {
  if (asks === "nobody") return "in";
  return who === "gateway, deployed" ? "in" : "401";
}

function byProject({ asks, owner, rule }: Declared, who: Who): Outcome {
  if (owner === "instance") return isOpen(asks) ? "in" : "401";
  if (isOpen(asks) || asks === "workspace key, or a client of the project") return "in";
  if (who === "nobody, project auth") return "401";
  return rule === null ? "403" : "in";
}
