import { expect, test } from "bun:test";
import { transferSizes } from "../../server/web/page.ts";
import { bundlePage } from "../../server/web/page-bundle.ts";
import { SOURCES } from "../../server/web/site.ts";

/** As a server compresses that bundles the page for whoever asks first; the executable's is a tenth smaller. */
const QUICK = 5;

test("the whole chat is less than 300 KB over the network, and traces nothing", async () => {
  const page = await bundlePage(SOURCES, QUICK);
  const sizes = Object.values(transferSizes(page));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(300_000);
  const texts = await Promise.all([...page.assets.values()].map(({ bodies }) => bodies.identity.text()));
  expect(texts.filter((text) => text.includes("api.smith.langchain.com"))).toEqual([]);
});
