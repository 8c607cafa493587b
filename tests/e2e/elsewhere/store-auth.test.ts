import { expect, test } from "bun:test";
import { clientOf, servedElsewhere } from "./elsewhere.ts";

const berth = servedElsewhere();

test("a filter by namespace lets the owner in, and nobody else", async () => {
  const [ada, grace] = [clientOf(berth.url, "ada").store, clientOf(berth.url, "grace").store];
  await ada.putItem(["notes", "ada"], "first", { text: "mine" });
  expect(await ada.getItem(["notes", "ada"], "first")).toMatchObject({ value: { text: "mine" } });
  const { items } = await ada.searchItems(["notes", "ada"]);
  expect(items.map(({ key }) => key)).toEqual(["first"]);
  await expect(grace.putItem(["notes", "ada"], "second", { text: "hers" })).rejects.toThrow(/40[34]/);
  const seen = await grace.getItem(["notes", "ada"], "first").catch(() => null);
  expect(seen).toBeNull();
  await ada.deleteItem(["notes", "ada"], "first");
});
