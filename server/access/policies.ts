import type { PermitRule } from "../authorization/index.ts";
import type { Plane, Policy } from "./policy.ts";

/** Whatever is no operation, and no other plane's: as closed as anything of the project. */
export const closed: Policy = {
  plane: "Agent Server",
  asks: "workspace key",
  origins: "listed",
  tenant: "home",
  owner: "project",
  rule: null,
};

/** An operation of the Agent Server, with what it asks the project's auth. */
export const agentServer = (rule: PermitRule): Policy => ({ ...closed, rule });

export const chatSurroundings: Policy = { ...closed, plane: "chat", failures: "thread app" };

/** An operation of the chat under `/api/threads`. */
export const chat = (rule: PermitRule): Policy => ({ ...chatSurroundings, rule });

/** What the chat asks beside threads: its clients read `detail`. */
export const chatList = (rule: PermitRule): Policy => ({ ...closed, plane: "chat", rule });

/** Where a key manages a workspace, "any page" is never right. */
const managed = (plane: Plane): Policy => ({
  plane,
  asks: "any key",
  origins: "named",
  tenant: "chosen",
  owner: "instance",
  rule: null,
});

export const controlPlane = managed("control plane");
export const issueApi = managed("issues");

/** What is not of one workspace. */
export const acrossWorkspaces: Policy = { ...controlPlane, tenant: "any" };

/** What a deployed agent could misuse while anybody on this machine may call. */
export const withSomeKey = (purpose: string): Policy => ({ ...controlPlane, asks: "some key", purpose });

/** What concerns all workspaces, and is there only once there is a key. */
export const ofOrganization = (purpose: string): Policy => ({
  ...acrossWorkspaces,
  asks: "organization key",
  purpose,
});

/** What a whole Berth tells of itself. */
export const ofOperator = (purpose: string): Policy => ({ ...controlPlane, asks: "operator key", purpose });

/** What the address of the upload proves. */
export const byUploadAddress: Policy = { ...controlPlane, asks: "upload address" };

/** What the token proves that an engine pushes or pulls with. */
export const registry: Policy = {
  ...controlPlane,
  asks: "registry token",
  tenant: "any",
  failures: "registry",
  otherMethods: "same",
  withSlash: "same",
};

/** What the signature of the request proves. */
export const bySignature: Policy = { ...controlPlane, asks: "signature" };

export const traceIngest: Policy = {
  ...managed("trace ingest"),
  origins: "listed",
};

/** What a deployed process proves with its token. */
export const byInstanceToken: Policy = { ...traceIngest, asks: "instance token" };

/** What only Berth tells a deployed process, and the project has no say in. */
export const byGatewayToken: Policy = {
  ...closed,
  asks: "gateway token",
  otherMethods: "same",
};

/** What every page loads in order to sign in, whatever the method. */
export const page: Policy = { ...closed, plane: "chat", asks: "visitor", otherMethods: "same" };

/** A file that a page loads, also a page without an origin. */
export const pageFile: Policy = { ...page, asks: "file", otherMethods: page };

/** The console signs in for itself. */
export const consolePage: Policy = { ...page, plane: "console", withSlash: "same" };

/** The console under the second address of the control plane, where keys alone count. */
export const consoleTwin: Policy = { ...consolePage, owner: "instance" };

/** A file of a graph's components: a page's script has no key to load it with. */
export const componentFile = (
  rule: PermitRule,
  holdsFor: (params: Readonly<Record<string, string>>) => boolean,
): Policy => ({ ...agentServer(rule), asks: "component file", holdsFor });

/** Whether the process lives: everybody may know. */
export const liveness: Policy = {
  ...closed,
  plane: "public",
  asks: "nobody",
  isWatched: true,
  otherMethods: "same",
};

/** What the server is: clients ask before they know whom to be, and a person opens it in a browser. */
export const serverInfo = (rule: PermitRule): Policy => ({
  ...closed,
  plane: "public",
  asks: "workspace key, or a client of the project",
  password: true,
  rule,
});

export const figures = (rule: PermitRule): Policy => ({
  ...closed,
  plane: "public",
  asks: "workspace or metrics key",
  password: true,
  isWatched: true,
  rule,
});

/** What a person opens in a browser to read of the API. */
export const documentation = (rule: PermitRule | null): Policy => ({
  ...closed,
  plane: "public",
  password: true,
  withSlash: { ...closed, plane: "public", rule },
  rule,
});

/** The page among it: a browser that nobody signed in with is led to the sign-in, seen from the page. */
export const documentationPage = (rule: PermitRule): Policy => ({
  ...documentation(rule),
  signIn: "sign-in",
  withSlash: { ...closed, plane: "public", rule, signIn: "../sign-in" },
});

/** The same where deployments are managed: it describes the API of each workspace's. */
export const sharedDocumentation: Policy = { ...acrossWorkspaces, plane: "public", origins: "listed" };
export const sharedDocumentationPage: Policy = {
  ...sharedDocumentation,
  signIn: "../sign-in",
  withSlash: { ...sharedDocumentation, signIn: "../../sign-in" },
};

/** What is a deployment's: any key, or whatever its project asks for. */
export const deployment: Policy = {
  ...acrossWorkspaces,
  plane: "gateway",
  asks: "deployment",
  origins: "deployment",
};

/** What a browser loads of a deployment in order to sign in, and what says that the deployment lives. */
export const deploymentVisitor: Policy = { ...deployment, asks: "visitor" };

/** A file of a deployment's components; only it knows which it has. */
export const deploymentFile = (holdsFor: Policy["holdsFor"]): Policy => ({
  ...deploymentVisitor,
  ...(holdsFor && { holdsFor }),
});

/** The page that explains a deployment's API. */
export const deploymentDocumentation: Policy = { ...deployment, signIn: "sign-in" };

/** What tests of clients use: keys alone count. */
export const forTests: Policy = { ...closed, owner: "instance", tenant: "chosen", asks: "any key" };
