import { Hono } from "hono";

export const app = new Hono();
app.get("/own", (context) => context.json({ root: context.req.path }));
app.notFound((context) => context.json({ notFound: context.req.path }));
