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

/** Checks what a run is to do. */
function check(value: Values, way: string): void {
  const { input, command } = value.kwargs as { input?: Values; command?: { resume?: Values } };
  const kwargs = { ...(value.kwargs as Values) };
  if (input && "said" in input && input.said !== "ask") set(kwargs, "input", way, { said: "checked" });
  if (command?.resume) {
    const resume = Object.fromEntries(Object.keys(command.resume).map((id) => [id, "checked"]));
    set(kwargs, "command", way, { resume });
  }
  if (way === "replace") value.kwargs = kwargs;
}

/**
 * Everything belongs to its creator. `Bearer ada` is Ada; `Bearer ada-replace` is Ada with the other way of changes.
 * Eve may do nothing. Lena's handlers give no filter, and narrow searches by the value alone.
 */
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
    if (identity === "eve") return false;
    const owner = { owner: identity };
    const filter = identity === "lena" ? undefined : owner;
    if (resource === "store") {
      if (action === "put") set(value, "value", way, owner);
      if (action === "search") set(value, "filter", way, owner);
      if (action === "list_namespaces") value.namespace = [identity];
      return filter;
    }
    set(value, "metadata", way, owner);
    if (action === "create_run") check(value, way);
    return filter;
  });
