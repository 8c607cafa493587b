import { expect, test } from "bun:test";
import { createElement, Fragment } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { imageOf } from "../../../web/console/deployments/instances.tsx";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;

/** What stands in the table for an instance. */
const shown = (image_digest: string | null, image_bytes: number | null): string =>
  renderToStaticMarkup(createElement(Fragment, null, imageOf({ image_digest, image_bytes })));

test("an instance shows which image it runs, by the beginning of its digest, and the size where that is known", () => {
  expect(shown(DIGEST, null)).toBe(`<span title="${DIGEST}"><code>0123456789ab</code></span>`);
  expect(shown(DIGEST, 3 * 2 ** 20)).toContain("<code>0123456789ab</code> · 3");
  expect(shown(null, null)).toBe("–");
});
