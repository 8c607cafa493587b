import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedder } from "../../../agent/embeddings.ts";
import { ProjectError, ttlSettings } from "../../../agent/project/index.ts";

const dir = await mkdtemp(join(tmpdir(), "berth-embed-"));
afterAll(() => rm(dir, { recursive: true }));

const open = (index: unknown) => openEmbedder({ dir, config: { store: { index: index as object } } });

async function embedder(index: unknown) {
  const found = await open(index);
  if (!found) throw new Error("the project has no embedding");
  return found;
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, number, at) => sum + number * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("the offline embedding", () => {
  test("gives a text the same vector everywhere", async () => {
    const { embed, model, fields } = await embedder({ embed: "offline", dims: 8 });
    expect([model, fields]).toEqual(["offline/8", ["$"]]);
    const [vector, again, empty] = await embed(["Green tea", "green  TEA!", ""]);
    expect(again).toEqual(vector ?? []);
    // Vectors that were stored by another release are compared with these.
    expect(Array.from(vector ?? []).map((number) => Number(number.toFixed(3)))).toMatchInlineSnapshot(`
      [
        1,
        1,
        -1,
        -2,
        0,
        -1,
        1,
        1,
      ]
    `);
    expect(Array.from(empty ?? [])).toEqual(Array(8).fill(0));
  });

  test("puts texts with the same words, or words of one stem, near each other", async () => {
    const { embed, dims } = await embedder({ embed: "offline" });
    expect(dims).toBe(256);
    const [asked, same, stem, other] = await embed([
      "Where does the night train leave?",
      "The night train leaves at nine",
      "night trains leaving",
      "Tomatoes need watering",
    ]);
    if (!asked || !same || !stem || !other) throw new Error("four texts have four vectors");
    expect(cosine(asked, same)).toBeGreaterThan(0.5);
    expect(cosine(asked, stem)).toBeGreaterThan(0.3);
    expect(Math.abs(cosine(asked, other))).toBeLessThan(0.2);
  });
});

describe("an embedding of the project", () => {
  test("is a function of texts, or an object of LangChain's", async () => {
    await Bun.write(
      join(dir, "embed.ts"),
      `export const lengths = async (texts: string[]) => texts.map((text) => [text.length, 1]);
       export default { one: 1, embedDocuments(texts: string[]) { return lengths(texts.map((text) => text + this.one)); } };
       export const words = async () => ["no", "vectors"];`,
    );
    expect(await (await embedder({ embed: "./embed.ts:lengths", dims: 2 })).embed(["abc"])).toEqual([[3, 1]]);
    expect(await (await embedder({ embed: "./embed.ts:", dims: 2 })).embed(["abc"])).toEqual([[4, 1]]);
    await expect((await embedder({ embed: "./embed.ts:words", dims: 2 })).embed(["a", "b"])).rejects.toThrow(
      TypeError,
    );
  });

  test.each([
    ["offline", /must be an object/],
    [{}, /embed: must be a string/],
    [{ embed: "./embed.ts:lengths" }, /dims: must be/],
    [{ embed: "offline", dims: 0 }, /dims: must be/],
    [{ embed: "offline", dims: 1.5 }, /dims: must be/],
    [{ embed: "offline", fields: "text" }, /fields: must be/],
    [{ embed: "cohere:embed-v4", dims: 2 }, /embed: must be "offline"/],
    [{ embed: "./missing.ts:fn", dims: 2 }, /missing.ts does not exist/],
    [{ embed: "./embed.ts:missing", dims: 2 }, /no function and no embeddings under "missing"/],
  ])("that cannot work is refused: %j", async (index, message) => {
    const refused = await open(index).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProjectError);
    expect(String(refused)).toMatch(message);
  });

  test("is not there without store.index", async () => {
    expect(await openEmbedder({ dir, config: {} })).toBeUndefined();
  });
});

describe("an embedding of OpenAI's", () => {
  const asked: { model: string; input: string[]; dimensions?: number }[] = [];
  const given = { key: process.env.OPENAI_API_KEY, base: process.env.OPENAI_BASE_URL };
  const provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.json();
      asked.push(body);
      const data = body.input.map((text: string, index: number) => ({ index, embedding: [text.length, 2] }));
      return Response.json({ object: "list", data, model: body.model, usage: {} });
    },
  });
  beforeAll(() => {
    delete process.env.OPENAI_API_KEY;
    process.env.OPENAI_BASE_URL = `${provider.url}v1`;
  });
  afterAll(async () => {
    await provider.stop(true);
    for (const [name, value] of [
      ["OPENAI_API_KEY", given.key],
      ["OPENAI_BASE_URL", given.base],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test("needs a key, and asks for the dimensions where the model can", async () => {
    const index = { embed: "openai:text-embedding-3-small", dims: 2 };
    await expect(open(index)).rejects.toThrow(/OPENAI_API_KEY/);
    process.env.OPENAI_API_KEY = "sk-test";
    const { embed } = await embedder(index);
    expect((await embed(["abc", "de"])).map((vector) => Array.from(vector))).toEqual([
      [3, 2],
      [2, 2],
    ]);
    expect(asked.at(-1)).toMatchObject({
      model: "text-embedding-3-small",
      input: ["abc", "de"],
      dimensions: 2,
    });
    await (await embedder({ embed: "openai:ada", dims: 2 })).embed(["x"]);
    expect(asked.at(-1)).not.toHaveProperty("dimensions");
  });
});

describe("how long things stay", () => {
  test("is read with its defaults", () => {
    expect(ttlSettings({}, "store", { sweepMinutes: 5 })).toEqual({
      strategy: "delete",
      defaultMinutes: undefined,
      refreshOnRead: true,
      sweepMinutes: 5,
      sweepLimit: 1_000,
    });
    const ttl = {
      strategy: "keep_latest" as const,
      default_ttl: 2,
      sweep_interval_minutes: 0.5,
      sweep_limit: 7,
    };
    expect(ttlSettings({ checkpointer: { ttl } }, "checkpointer", { sweepMinutes: 5 })).toMatchObject({
      ...{ strategy: "keep_latest", defaultMinutes: 2, sweepMinutes: 0.5, sweepLimit: 7 },
    });
  });

  test.each([{ default_ttl: 0 }, { default_ttl: -1 }, { sweep_interval_minutes: "5" }, { strategy: "burn" }])(
    "is refused as %j",
    (ttl) => {
      const config = JSON.parse(JSON.stringify({ store: { ttl } }));
      expect(() => ttlSettings(config, "store", { sweepMinutes: 5 })).toThrow(ProjectError);
    },
  );
});
