const hooks: { authorization: string | null; body: unknown }[] = [];

/** Keeps what is posted to `/hook`, and shows it. */
export const app = {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/hook") return new Response(null, { status: 404 });
    if (request.method !== "POST") return Response.json(hooks);
    hooks.push({ authorization: request.headers.get("authorization"), body: await request.json() });
    return new Response(null, { status: 204 });
  },
};
