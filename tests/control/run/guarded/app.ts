import { Client } from "@langchain/langgraph-sdk";
import { Hono } from "hono";

export const app = new Hono();

app.get("/custom/headers", (context) => context.json([...context.req.raw.headers.keys()]));

app.get("/custom/threads", async (context) => {
  const client = new Client({
    callerOptions: { maxRetries: 0 },
    defaultHeaders: { authorization: context.req.header("authorization") ?? "" },
  });
  return context.json(await client.threads.create());
});

// Whatever there is, also what is Berth's own.
app.all("/internal/*", (context) => context.text("mine"));
