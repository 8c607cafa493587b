/** Nothing but `fetch`: it lists no routes, so what it says to any path is nobody's answer. */
export const app = {
  fetch(request: Request): Response {
    const { pathname } = new URL(request.url);
    const headers = { "x-middleware": "seen" };
    if (request.headers.get("x-closed")) return new Response("closed", { status: 403, headers });
    if (pathname.startsWith("/runs/")) request.headers.set("x-from-middleware", "changed");
    if (pathname.startsWith("/own/")) return Response.json({ own: pathname.slice(5) }, { headers });
    return Response.json({ notFound: pathname }, { headers });
  },
};
