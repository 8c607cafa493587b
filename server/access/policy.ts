import type { PermitRule } from "../authorization/index.ts";

/** A part of the server with a job of its own. */
export type Plane =
  | "Agent Server"
  | "chat"
  | "control plane"
  | "issues"
  | "trace ingest"
  | "console"
  | "gateway"
  | "public";

/** What becomes of a field of a body that the operation's schema does not declare. */
export type UnknownFields = "ignored" | "rejected";

/**
 * The default of each plane. `ignored`: its official clients send more than the server reads, and newer ones send more
 * still. Elsewhere a field without effect is a mistake, such as an `expires_at` of a key that never expires.
 */
export const UNKNOWN_FIELDS: Readonly<Record<Plane, UnknownFields>> = {
  "Agent Server": "ignored",
  chat: "ignored",
  "trace ingest": "ignored",
  "control plane": "rejected",
  issues: "rejected",
  console: "rejected",
  gateway: "rejected",
  public: "rejected",
};

/**
 * What an operation asks of its caller. Where nobody needs a key, this machine alone is served instead, but for
 * `nobody`.
 *
 * - `nobody`: nothing at all, from wherever the request comes.
 * - `visitor`: nothing where keys are needed: a browser loads it in order to sign in.
 * - `file`, `component file`: the same, and a document without an origin may load it.
 * - `upload address`, `signature`, `instance token`, `registry token`: the request proves itself, and the operation checks the proof.
 * - `gateway token`: what only Berth tells a deployed process.
 * - `workspace key`: a key that is good for the workspace of this process; where the project has its own auth, that.
 * - `workspace or metrics key`: the same, and a key that is for metrics alone.
 * - `workspace key, or a client of the project`: the same, but a GET needs nothing where the project has its own auth:
 *   clients ask before they know whom to be.
 * - `any key`: a key of whatever workspace, which sees its own rows.
 * - `some key`: the same, also where nobody else needs a key.
 * - `organization key`: a key of the organization, also where nobody else needs one.
 * - `operator key`: a key of the organization where keys are needed.
 * - `deployment`: any key, or what the deployment's project asks for.
 */
export type Asks =
  | "nobody"
  | "visitor"
  | "file"
  | "component file"
  | "upload address"
  | "signature"
  | "instance token"
  | "registry token"
  | "gateway token"
  | "workspace key"
  | "workspace or metrics key"
  | "workspace key, or a client of the project"
  | "any key"
  | "some key"
  | "organization key"
  | "operator key"
  | "deployment";

/**
 * Which pages may read the answer: `listed` as the settings or the project say, `named` only those that are listed by
 * name and never any, `deployment` as the deployed process says.
 */
type Origins = "listed" | "named" | "deployment";

/**
 * Which workspace a request is about: `home` the one of this process, `chosen` the key's own or the one that
 * `X-Tenant-Id` names, `any` the same for what is not of one workspace.
 */
export type Tenant = "home" | "chosen" | "any";

/** Bytes of body: none is read, a megabyte at most, as many as the process takes, or a number. */
export type BodyLimit = "none" | "small" | "process" | number;

/** Who may call an operation, and how: every operation names one, and nothing else decides it. */
export type Policy = {
  readonly plane: Plane;
  readonly asks: Asks;
  readonly origins: Origins;
  readonly tenant: Tenant;
  /** Whose it is: the project's auth and its own app have no say in what is the instance's. */
  readonly owner: "project" | "instance";
  /** What the project's auth is asked, where the project has one; `null` where it is closed to its users. */
  readonly rule: PermitRule | null;
  /** What the caller wants, for the refusal of a caller whose key is not enough. */
  readonly purpose?: string;
  /** The words of a failure: the thread app reads `error` and `message` beside `detail`, engines read `errors`. */
  readonly failures?: "thread app" | "registry";
  /** A browser may send the key as a password. */
  readonly password?: true;
  /** Where a browser that nobody signed in with is led to. */
  readonly signIn?: string;
  /** Somebody asks it every few seconds and wants no news: it is neither limited nor logged. */
  readonly isWatched?: true;
  /** The operation keeps this policy for these parameters only. */
  readonly holdsFor?: (params: Readonly<Record<string, string>>) => boolean;
  /** For a method that the path does not have; what counts in its surroundings when absent. */
  readonly otherMethods?: Policy | "same";
  /** For the address with a slash at its end; what counts in its surroundings when absent and this is lenient. */
  readonly withSlash?: Policy | "same";
};

const OPEN: ReadonlySet<Asks> = new Set<Asks>([
  "nobody",
  "visitor",
  "file",
  "component file",
  "upload address",
  "signature",
  "instance token",
  "registry token",
]);

/** Whether no key is asked for where others need one. */
export const isOpen = ({ asks }: Policy): boolean => OPEN.has(asks);

const PROOFS: ReadonlySet<Asks> = new Set<Asks>([
  "upload address",
  "signature",
  "instance token",
  "registry token",
]);

/** Whether a request proves itself, which the operation verifies: until then, anyone may have sent it. */
export const isProof = ({ asks }: Pick<Policy, "asks">): boolean => PROOFS.has(asks);

const USUAL: ReadonlySet<Asks> = new Set<Asks>([
  "workspace key",
  "any key",
  "some key",
  "organization key",
  "operator key",
  "deployment",
]);

/** Whether it lets more callers in than the policy of its surroundings would. */
export const isLenient = ({ asks, password }: Policy): boolean => !USUAL.has(asks) || password === true;
