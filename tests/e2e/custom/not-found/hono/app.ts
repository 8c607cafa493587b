import { Hono } from "hono";

export const app = new Hono();

app.use(async (context, next) => {
  await next();
  context.header("x-middleware", "seen");
});
app.use("/runs/*", async (context, next) => {
  if (context.req.header("x-closed")) return context.text("closed", 403);
  context.req.raw.headers.set("x-from-middleware", "changed");
  return next();
});
app.get("/own/:id", (context) => context.json({ own: context.req.param("id") }));
app.get("/info", (context, next) =>
  context.req.query("own") === undefined ? next() : context.json({ own: "info" }),
);
app.get("/threads/:id/:what{state|history}", (context) => context.json({ own: context.req.param("what") }));
app.notFound((context) => context.json({ notFound: context.req.path }));
app.onError((error, context) => context.json({ failed: error.message }, 400));
app.get("/own/fails/now", () => {
  throw new Error("as asked");
});
