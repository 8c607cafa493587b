import { Hono } from "hono";

export const app = new Hono();

app.use(async (context, next) => {
  await next();
  context.header("x-elsewhere", "yes");
});
app.get("/hello", (context) => context.json({ hello: "you" }));
app.notFound((context) => context.json({ error: `no ${context.req.path} here` }));
