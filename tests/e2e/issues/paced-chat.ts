import type { Received, Receiver } from "../../server/delivery/receiver.ts";

type Said = { channel: string; text: string };

/** A chat that takes one message a second and channel, by its own clock, and says 429 to what comes sooner. */
export function pacedChat(receiver: Receiver) {
  const taken: Said[] = [];
  const lastAt = new Map<string, number>();
  let refused = 0;
  let cutting: { nth: number; cut: () => void } | undefined;
  receiver.answer((received: Received) => {
    const said: Said = JSON.parse(received.body);
    if (received.at - (lastAt.get(said.channel) ?? 0) < 1_000) {
      refused += 1;
      return new Response(null, { status: 429, headers: { "retry-after": "1" } });
    }
    lastAt.set(said.channel, received.at);
    if (cutting?.nth === taken.length + 1) {
      cutting.cut();
      cutting = undefined;
      // Nobody is there any more who could hear an answer.
      return Promise.withResolvers<Response>().promise;
    }
    taken.push(said);
    return Response.json({ ok: true });
  });
  return {
    /** What it took and said so. */
    taken,
    refused: () => refused,
    /** Resolves when the nth message has come; it is not answered. */
    arrivalOf: (nth: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      cutting = { nth, cut: resolve };
      return promise;
    },
  };
}

/** How many events messages tell, those that they only count too. */
export function eventsIn(texts: readonly string[]): number {
  const numbers = (text: string, what: RegExp) =>
    [...text.matchAll(what)].map(([, number]) => Number(number));
  return texts
    .flatMap((text) => [
      text.match(/^(?:New issue|Seen again|Regression) /gm)?.length ?? 0,
      ...numbers(text, /^(\d+) more of this$/gm),
      ...numbers(text, /^And (\d+) more: /gm),
    ])
    .reduce((sum, count) => sum + count, 0);
}
