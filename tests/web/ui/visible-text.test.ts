import { expect, test } from "bun:test";
import { visibleText } from "../../../web/ui/visible-text.ts";

test("what a reader would not see is written out", () => {
  expect(visibleText("a\u202eb\u2066c\u200bd\u001b[31me\u0007")).toBe(
    "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{001b}[31me\\u{0007}",
  );
});

test("what people write is not", () => {
  const text = "Grüße\n\t日本語 עברית ❤️ 👩‍👩‍👧 x";
  expect(visibleText(text)).toBe(text);
});
