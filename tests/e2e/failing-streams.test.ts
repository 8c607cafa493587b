import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { StreamMode } from "@langchain/langgraph-sdk";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf } from "./stream-parts.ts";

const berth = servedBerth({ project: join(import.meta.dir, "project") });
const WORDS = 50;
const modes: StreamMode[][] = [
  ["custom"],
  ["custom", "updates"],
  ["custom", "values", "messages-tuple", "debug", "tasks"],
  ["custom", "events"],
];

forEachSdk((Client) => {
  const stream = async (input: object, streamMode: StreamMode[]) => {
    const { runs } = new Client({ apiUrl: berth.url });
    return collect(runs.stream(null, "loud", { input, streamMode, raiseError: false } as never));
  };

  describe("what a node said before it failed is in the stream", () => {
    test.each(modes.map((streamMode) => [streamMode]))("%p", async (streamMode) => {
      const parts = await stream({ how: "writer" }, streamMode);
      expect(dataOf(parts, "custom")).toHaveLength(WORDS);
      expect(parts.at(-1)).toMatchObject({ event: "error", data: { message: "enough" } });
    });

    test("the tokens of a model that died", async () => {
      const parts = await stream({ how: "model" }, ["messages-tuple"]);
      const words = dataOf<{ content: string }[]>(parts, "messages").map(([message]) => message?.content);
      expect(words).toEqual(Array.from({ length: WORDS }, (_, at) => `${at} `));
      expect(parts.at(-1)).toMatchObject({ event: "error", data: { message: "the model died" } });
    });
  });

  test("a node has a context also where the run has none", async () => {
    const { runs } = new Client({ apiUrl: berth.url });
    expect(await runs.wait(null, "loud", { input: { how: "context" } })).toMatchObject({ context: "nobody" });
  });
});
