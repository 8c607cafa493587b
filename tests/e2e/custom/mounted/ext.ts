import { Hono } from "hono";

const told: unknown[] = [];

export const app = new Hono();
app.get("/", (context) => context.json({ ext: context.req.path }));
app.get("/told", (context) => context.json(told));
app.post("/echo", async (context) => context.json({ received: await context.req.json() }));
app.post("/hook", async (context) => {
  const { status } = await context.req.json<{ status: string }>();
  told.push([status, context.req.query("of")]);
  return context.json({});
});
