import { langGraphBundle, type ProjectFiles, sdkBundle } from "../tiny-agent.ts";

const AGENT = `
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation, user: Annotation });
const say = (_state, { configurable }) => ({ user: configurable?.langgraph_auth_user_id ?? null });
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`;

/** Who refuses tells which headers there were, so that a test sees what the project saw. */
const AUTH = `
import { Auth, HTTPException } from "./sdk.js";
const USERS = { ada: "ada", eve: "eve" };
export const auth = new Auth()
  .authenticate((request) => {
    const { headers } = request;
    const token = headers.get("authorization")?.replace("Bearer ", "") ?? headers.get("x-api-key") ?? "";
    const user = USERS[token];
    if (user) return { identity: user, permissions: [] };
    const seen = { authorization: headers.get("authorization"), key: headers.get("x-api-key") };
    throw new HTTPException(401, { message: "Who are you? " + JSON.stringify({ ...seen, cookie: headers.get("cookie") }) });
  })
  .on("*", ({ value, user }) => {
    if (user.kind === "StudioUser") return true;
    value.metadata = { ...value.metadata, owner: user.identity };
    return { owner: user.identity };
  });
`;

const APP = `
export const app = { fetch: (request) => {
  const { pathname } = new URL(request.url);
  return pathname === "/mine" ? new Response("mine") : new Response("no", { status: 404 });
} };
`;

/** A project that knows its users itself: `Bearer ada` is Ada. */
export async function knownUsers({ http = {}, auth = {} } = {}): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({
      graphs: { agent: "./agent.ts:graph" },
      auth: { path: "./auth.ts:auth", ...auth },
      http: { app: "./app.ts:app", ...http },
    }),
    "langgraph.js": await langGraphBundle(),
    "sdk.js": await sdkBundle(),
    "agent.ts": AGENT,
    "auth.ts": AUTH,
    "app.ts": APP,
  };
}
