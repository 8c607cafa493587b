import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";

/** Lets Ada in, and tells anybody else what it was shown. */
export const auth = new Auth().authenticate(async (request: Request) => {
  if (request.headers.get("authorization") !== "Bearer ada")
    throw new HTTPException(401, { message: `Who are you? ${[...request.headers.keys()].join(" ")}` });
  return { identity: "ada", permissions: [] };
});
