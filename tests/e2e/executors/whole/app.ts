import { writeFileSync } from "node:fs";
import { loaded } from "./loaded.ts";

const where = loaded("app");

const ROUTES: Record<string, (request: Request) => Response | Promise<Response>> = {
  "/own/where": () => Response.json(where),
  "/own/echo": (request) => new Response(request.body, { headers: { "x-method": request.method } }),
  "/own/cookies": () =>
    new Response(null, {
      status: 204,
      headers: [
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
    }),
  "/own/breaks": () => {
    throw new Error("the app broke");
  },
  "/own/half": () => new Response(brokenOff()),
  "/own/ticks": (request) => new Response(ticks(request)),
  "/own/dies": () => {
    Bun.spawnSync(["kill", "-9", String(process.pid)]);
    return new Response("still here");
  },
  "/own/computes": () => {
    const end = performance.now() + 1_000;
    while (performance.now() < end) void 0;
    return Response.json(loaded("computed"));
  },
};

export const app = {
  fetch: async (request: Request): Promise<Response> => {
    const route = ROUTES[new URL(request.url).pathname];
    return route ? route(request) : new Response("not mine", { status: 404, headers: { "x-passed": "by" } });
  },
};

export const extra = { fetch: (request: Request) => new Response(new URL(request.url).pathname) };

/** Text for as long as somebody reads it; notes when nobody does any more. */
function ticks(request: Request): ReadableStream {
  const left = new URL(request.url).searchParams.get("left") ?? "";
  return new ReadableStream({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.enqueue("tick\n");
    },
    cancel: () => writeFileSync(left, "left"),
  });
}

function brokenOff(): ReadableStream {
  let chunks = 0;
  return new ReadableStream({
    pull: (controller) => {
      chunks += 1;
      if (chunks < 3) controller.enqueue("chunk\n");
      else controller.error(new Error("broke off"));
    },
  });
}
