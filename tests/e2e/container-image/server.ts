// What runs in a container that is no Berth: it listens on $PORT, answers /ok, and shows what it was given.
export {};

const id = crypto.randomUUID();

if (process.env.FAIL) {
  console.error("about to give up");
  process.exit(Number(process.env.FAIL));
}

const server = Bun.serve({
  hostname: process.env.HOST ?? "0.0.0.0",
  port: Number(process.env.PORT),
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    switch (pathname) {
      case "/ok":
        return Response.json({ ok: true });
      case "/ask":
        return Response.json({ id, answer: process.env.ANSWER, env: process.env, user: process.getuid?.() });
      case "/keep":
        await Bun.write(`${process.env.DATA_DIR}/kept`, search);
        return new Response("kept");
      case "/kept":
        return new Response(Bun.file(`${process.env.DATA_DIR}/kept`));
      case "/say": {
        console.log(`out ${search}`);
        console.error(`err ${search}`);
        return new Response("said");
      }
      case "/chat": {
        // Says more by itself, while nobody looks.
        for (let line = 0; line < 90; line += 1) setTimeout(() => console.log(`line ${line}.`), line * 30);
        return new Response("saying");
      }
      case "/die":
        setTimeout(() => process.exit(7), 10);
        return new Response("dying");
      default:
        return new Response("not here", { status: 404 });
    }
  },
});

console.log(`listening at ${server.port}`);
process.on("SIGTERM", () => {
  console.log("told to stop");
  process.exit(0);
});
