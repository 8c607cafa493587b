import { Elysia } from "elysia";

export const app = new Elysia()
  .onRequest(({ request, set }) => {
    set.headers["x-middleware"] = "seen";
    if (request.url.includes("/runs/")) request.headers.set("x-from-middleware", "changed");
    if (request.headers.get("x-closed")) return new Response("closed", { status: 403 });
    return undefined;
  })
  .onError(({ code, path, set }) => {
    if (code === "NOT_FOUND") {
      // As a response: a plain value would keep the 404.
      return Response.json({ notFound: path });
    }
    set.status = 400;
    return { failed: code };
  })
  .get("/own/:id", ({ params }) => ({ own: params.id }))
  .get("/info", ({ query }) =>
    "own" in query
      ? { own: "info" }
      : new Response(null, { status: 404, headers: { "x-middleware": "seen" } }),
  )
  .get("/threads/:id/state", () => ({ own: "state" }));
