import { langGraphBundle, type ProjectFiles, sdkBundle } from "../tiny-agent.ts";

/** Says who runs it, and what its own server answers to the way of asking that it is told, with the token that it is told. */
const AGENT = `
import { Annotation, StateGraph } from "./langgraph.js";
import { Client } from "./sdk.js";
const State = Annotation.Root({ ask: Annotation, token: Annotation, user: Annotation, heard: Annotation });
const atLoad = "http://localhost:" + process.env.PORT;
const { fetch: fetchAtLoad } = globalThis;
const ways = {
  fetch: (headers) => fetch(atLoad + "/threads", { method: "POST", headers, body: "{}" }).then(shown),
  early: (headers) => fetchAtLoad(new Request(atLoad + "/threads", { method: "POST", headers, body: "{}" })).then(shown),
  address: (headers) => of(new Client({ apiUrl: atLoad, defaultHeaders: headers, callerOptions })),
  client: (headers) => of(new Client({ defaultHeaders: headers, callerOptions })),
  claim: (headers) => fetch(atLoad + "/internal/claim", { method: "POST", headers, body: '{"claim":false}' }).then(shown),
};
const callerOptions = { maxRetries: 0 };
const shown = async (answer) => [answer.status, (await answer.json()).metadata?.owner ?? null];
const of = (client) => client.threads.create().then(
  ({ metadata }) => [200, metadata.owner ?? null],
  ({ status }) => [status, null],
);
const say = async ({ ask, token }, { configurable }) => ({
  user: configurable?.langgraph_auth_user_id ?? null,
  heard: ask && [...(await ways[ask]({ "content-type": "application/json", ...(token && { authorization: "Bearer " + token }) })), atLoad],
});
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

/** The same graph of a project that does not. */
export async function knownByKey(): Promise<ProjectFiles> {
  const { "auth.ts": _, ...files } = await knownUsers();
  return { ...files, "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }) };
}

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
