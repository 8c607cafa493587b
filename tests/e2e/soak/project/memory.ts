import { heapStats } from "bun:jsc";

/** `GET /memory`: what the process holds, in bytes, when nothing is left to be collected. */
export const app = {
  fetch(request: Request): Response {
    if (new URL(request.url).pathname !== "/memory") return new Response(null, { status: 404 });
    Bun.gc(true);
    return Response.json({ rss: process.memoryUsage().rss, heap: heapStats().heapSize });
  },
};
