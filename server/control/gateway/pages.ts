import { NotFound } from "@berth/store";
import { deployment, deploymentDocumentation, deploymentVisitor, type Policy } from "../../access/index.ts";
import {
  type Access,
  type Arrival,
  type Caller,
  hasUserCookie,
  json,
  type Operation,
  strangerWith,
  TooMany,
} from "../../http/index.ts";
import { keyIn, type ShownSignIn } from "../../web/index.ts";
import { documentationPage } from "./documentation.ts";
import { admission, type PassingDeps, passOn, whoMay } from "./passing.ts";
import { unknownDeployment } from "./refusals.ts";
import { type Visiting, visiting } from "./visit.ts";

/**
 * What Berth itself answers under a deployment's address. A deployment's own pages get no hold of our sign-in
 * (`response-headers.ts`); these need it.
 */
export type DeploymentPages = {
  /** The chat. Programs that ask for the same paths mean the deployment's API. */
  documents: readonly Operation[];
  /** What the chat loads. */
  files: readonly Operation[];
  /** How a page signs in and out, and learns whether it is. */
  signIn: readonly Operation[];
  /** The page that explains the deployment's API, and its files. */
  docs: readonly Operation[];
};

type Deps = PassingDeps & { pages: DeploymentPages };

/** The pages of every deployment, each at its address under `/d/{deployment_id}`. */
export function pageRoutes(deps: Deps): Operation[] {
  const { documents, files, signIn, docs } = deps.pages;
  return [
    ...documents.map((page) =>
      under(page, deploymentVisitor, (visit, arrival, most) =>
        visit.request.headers.get("accept")?.includes("text/html")
          ? ours(deps, page, visit, arrival, most)
          : passOn(deps, visit),
      ),
    ),
    ...files.map((page) => under(page, deploymentVisitor, (...given) => ours(deps, page, ...given))),
    ...signIn.map((page) => under(page, deploymentVisitor, (...given) => signed(deps, page, ...given))),
    ...docs.map((page) =>
      isDocument(page)
        ? under(page, page.spec.access.signIn ? deploymentDocumentation : deployment, (...given) =>
            documentationPage(deps, page, ...given),
          )
        : // The page has no sign-in to load its files with.
          under(page, deploymentVisitor, (...given) => ours(deps, page, ...given)),
    ),
  ];
}

/** Whether it is a page, and not a file that pages load. */
const isDocument = ({ spec }: Operation): boolean => !/\.\w+$/.test(spec.path);

type Given = [visit: Visiting, arrival: Arrival, maxBodyBytes: number];

function under(page: Operation, access: Policy, answer: (...given: Given) => Promise<Response>): Operation {
  const path = `/d/:deployment_id${page.spec.path}`;
  return {
    spec: { ...page.spec, path, access, unlisted: true },
    serve: async (arrival, maxBodyBytes) =>
      answer(visiting(arrival.request, arrival.server), arrival, maxBodyBytes),
  };
}

/** The page; a file that it does not know may be one that the deployment does. */
async function ours(
  deps: Deps,
  page: Operation,
  ...[visit, arrival, maxBodyBytes]: Given
): Promise<Response> {
  try {
    const { request, params, server } = arrival;
    return await page.serve({ request, params, server }, maxBodyBytes);
  } catch (error) {
    if (error instanceof NotFound) return passOn(deps, visit);
    throw error;
  }
}

/** Signing in and out: with us, or where the deployment's project says who may call, with that. */
async function signed(deps: Deps, page: Operation, ...given: Given): Promise<Response> {
  const { gateway, access } = deps;
  const [visit] = given;
  const { request, deploymentId } = visit;
  const asked = `${request.method} ${page.spec.path}`;
  const isSession = asked === "GET /api/session";
  const name = isSession ? await gateway.nameOf(deploymentId) : undefined;
  if (isSession && name === undefined) throw unknownDeployment(deploymentId);
  if (await gateway.hasOwnAuth(deploymentId)) {
    const admit = admission(access, visit);
    const visitor = await whoMay(admit);
    const caller = visitor && (await signingIn({ access, request, asked, caller: visitor }));
    if (caller) return gateway.handle({ ...visit, admit, caller });
  }
  const answer = await ours(deps, page, ...given);
  return name === undefined ? answer : named(answer, name);
}

/** The chat says which deployment it is of, to those who may talk with it. */
async function named(session: Response, deployment: string): Promise<Response> {
  const { status, headers } = session;
  const shown: ShownSignIn = await session.json();
  const isIn = shown.signed_in || !shown.required;
  return json(isIn ? { ...shown, deployment } : shown, status, {
    "cache-control": headers.get("cache-control") ?? "no-store",
  });
}

type Signing = {
  access: Access;
  request: Request;
  /** The method, and the path at the deployment. */
  asked: string;
  caller: Caller;
};

const WAIT_SECONDS = 60;

/**
 * Of a deployment whose project says itself who may call: as whom a request of its sign-in page goes on to it; undefined
 * where Berth itself signs in and out, with a key. What is a key goes to no project, whoever types it in there.
 * @throws TooMany, Invalid, TooLarge
 */
async function signingIn({ access, request, asked, caller }: Signing): Promise<Caller | undefined> {
  const keyHeaders = caller.atOwnAuth?.keyHeaders ?? [];
  if (asked === "GET /api/session") return caller.atOwnAuth?.isStranger ? caller : undefined;
  if (asked === "POST /sign-out") return hasUserCookie(request) ? strangerWith(keyHeaders) : undefined;
  if (asked !== "POST /sign-in") return undefined;
  const typed = await keyIn(request.clone());
  const { isKey, caller: owner } = await access.recognise(typed, request);
  if (owner) return undefined;
  if (isKey) throw new TooMany(WAIT_SECONDS, "Too many wrong API keys from this address");
  access.guessed(typed, request);
  return strangerWith(keyHeaders);
}
