import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

type Values = Record<string, unknown>;
type Call = { user: { identity: string; way: string }; resource: string; action: string; value: Values };

const refused = () => new HTTPException(401, { message: "Who are you?" });

/** Sets members of an object inside `value`: the object is replaced, or changed in place. */
function set(value: Values, name: string, way: string, members: Values): void {
  const before = (value[name] ?? {}) as Values;
  if (way === "replace") value[name] = { ...before, ...members };
  else {
    Object.assign(before, members);
    value[name] = before;
  }
}

/** Everything belongs to its creator. `Bearer ada` is Ada; `Bearer ada-replace` is Ada with another way of changes. */
export const auth = new Auth()
  .authenticate(async (request: Request) => {
    const token = /^Bearer (\w+)(?:-(\w+))?$/.exec(request.headers.get("authorization") ?? "");
    if (!token) throw refused();
    const [, identity = "", way = "place"] = token;
    return { identity, way, permissions: [] };
  })
  .on("*", (call) => {
    const { user, resource, action, value } = call as unknown as Call;
    const { identity, way } = user;
    // Eve may do nothing with a single thing.
    if (identity === "eve") return false;
    const owner = { owner: identity };
    if (resource === "store") {
      if (action === "put") set(value, "value", way, owner);
      return owner;
    }
    set(value, "metadata", way, owner);
    if (action !== "create_run") return owner;
    const kwargs = value.kwargs as Values;
    if (typeof kwargs.input === "object" && kwargs.input !== null)
      set(kwargs, "input", way, { said: "checked" });
    return owner;
  });
