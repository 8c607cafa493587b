/** What a model does with a request: writes the words of an issue, or never answers. */
export type Mood = "answers" | "hangs";

/** A server that speaks OpenAI's language, for `ENGINE_MODEL`. */
export function startModel() {
  let next: (request: number) => Mood = () => "answers";
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      requests += 1;
      const { stream } = (await request.json()) as { stream?: boolean };
      // Some that speak OpenAI's language do not stream.
      if (stream)
        return Response.json({ error: { message: "this server does not stream" } }, { status: 400 });
      if (next(requests) === "hangs") await new Promise(() => undefined);
      const words = { name: `Issue ${requests}`, description: "It fails.", cause: "Somebody broke it." };
      const message = { role: "assistant", content: JSON.stringify(words) };
      const choices = [{ index: 0, finish_reason: "stop", message }];
      return Response.json({ id: "1", object: "chat.completion", created: 1, model: "fake", choices });
    },
  });
  return {
    env: {
      ENGINE_MODEL: "openai:fake",
      OPENAI_API_KEY: "for tests",
      OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
    },
    requests: () => requests,
    behaves(mood: (request: number) => Mood) {
      next = mood;
    },
    stop: () => void server.stop(true),
  };
}
