import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

export const auth = new Auth()
  .authenticate(async (request: Request) => {
    const identity = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
    if (!identity) throw new HTTPException(401, { message: "Who are you?" });
    return { identity, permissions: [] };
  })
  .on("threads", ({ user }) => ({ owner: user.identity }))
  .on("threads:create", ({ user, value }) => {
    value.metadata = { ...value.metadata, owner: user.identity };
  })
  .on("store", ({ user }) => ({ namespace: { $contains: user.identity } }));
