import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

/** `name:token` pairs. */
const users = new Map(
  (process.env.TOKENS ?? "").split(",").map((pair) => pair.split(":").reverse() as [string, string]),
);

export const auth = new Auth()
  .authenticate(async (request) => {
    const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const identity = users.get(token);
    if (identity === undefined) throw new HTTPException(401, { message: "who are you?" });
    return { identity, permissions: [] };
  })
  .on("*", ({ value, user }) => {
    if ("metadata" in value) value.metadata = { ...value.metadata, owner: user.identity };
    return { owner: user.identity };
  });
