import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

/** Who a token belongs to: `Bearer ada` is Ada. A page of the project may have set a cookie instead. */
const USERS = new Map([
  ["ada", { identity: "ada", permissions: ["write"], team: "navy" }],
  ["grace", { identity: "grace", permissions: ["write"], team: "navy" }],
  ["retired", { identity: "ada", permissions: [], team: "navy" }],
  ["john", { identity: "john", permissions: ["write"], team: "navy" }],
  ["johndoe", { identity: "john.doe@corp.com", permissions: ["write"], team: "navy" }],
  ["eve", { identity: "eve", permissions: [], team: "none" }],
]);

type User = { identity: string; permissions: string[]; kind?: string };
type Call = {
  user: User;
  action: string;
  value: {
    metadata?: Record<string, unknown>;
    namespace?: string[];
    run_id?: string;
    kwargs?: { input?: { said?: string } };
  };
};

const refused = () =>
  new HTTPException(401, { message: "Who are you?", headers: { "www-authenticate": "Bearer realm=test" } });

function tokenOf(request: Request): string | undefined {
  const cookie = /(?:^|; )harbour=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  return cookie ?? /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** What is created is its creator's, and nobody else sees it. */
function owned({ user, value }: Call) {
  value.metadata = { ...value.metadata, owner: user.identity };
  return { owner: user.identity };
}

export const auth = new Auth()
  .authenticate(async (request: Request) => {
    const user = USERS.get(tokenOf(request) ?? "");
    if (!user) throw refused();
    return user;
  })
  .on("*", (call) => {
    const asked = call as unknown as Call;
    if (asked.user.kind === "StudioUser") return true;
    return owned(asked);
  })
  .on("threads:create_run", (call) => {
    const asked = call as unknown as Call;
    if (!asked.user.permissions.includes("write"))
      throw new HTTPException(403, { message: "You may look, not run" });
    const { run_id, kwargs } = asked.value;
    if (kwargs?.input?.said === "a curse") throw new HTTPException(403, { message: "Not in these words" });
    const filter = owned(asked);
    asked.value.metadata = { ...asked.value.metadata, told: { run_id, said: kwargs?.input?.said } };
    return filter;
  })
  .on("threads:delete", () => false)
  .on("store", (call) => {
    const { value, user } = call as unknown as Call;
    const namespace = value.namespace ?? [];
    if (namespace[0] !== user.identity) value.namespace = [user.identity, ...namespace];
  });
