import { Client } from "@langchain/langgraph-sdk";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";

export const app = new Hono();

app.use(async (context, next) => {
  await next();
  context.header("x-middleware", "seen");
});

app.use("/runs/*", async (context, next) => {
  context.req.raw.headers.set("x-from-middleware", "changed");
  await next();
});

app.get("/custom/hello", (context) =>
  context.json({ hello: context.req.query("name") ?? "nobody" }, 200, {
    "x-asked": context.req.header("x-ask") ?? "nothing",
  }),
);

app.get("/custom/fails", () => {
  throw new HTTPException(400, { message: "not like this" });
});

app.get("/info", async (context, next) => {
  if (context.req.query("interrupt") === undefined) return next();
  return context.json({ interrupted: true });
});

app.post("/custom/echo", async (context) => context.text(await context.req.text()));

app.get("/custom/run", async (context) => {
  const client = new Client({ callerOptions: { maxRetries: 0 } });
  return context.json(await client.runs.wait(null, "headers", { input: {} }));
});

app.get("/custom/stream", () => {
  let told = 0;
  const body = new ReadableStream({
    async pull(controller) {
      if (told === 3) return controller.close();
      // Far enough apart to tell what is passed on at once from what is gathered.
      if (told > 0) await Bun.sleep(40);
      told += 1;
      controller.enqueue(new TextEncoder().encode(`piece ${told};`));
    },
  });
  return new Response(body);
});

app.get("/v1/secrets", (context) => context.json({ leaked: true }));
