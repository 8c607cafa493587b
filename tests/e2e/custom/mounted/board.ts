const pathname = (request: Request) => new URL(request.url).pathname;

export const app = { fetch: (request: Request) => Response.json({ board: pathname(request) }) };

/** Mounted where the server has routes. */
export const runs = {
  fetch: (request: Request) =>
    pathname(request) === "/mine" ? Response.json({ mine: true }) : new Response("no", { status: 404 }),
};
