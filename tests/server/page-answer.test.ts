import { describe, expect, test } from "bun:test";
import type { PageFile } from "../../server/web/page.ts";
import { pageAnswer } from "../../server/web/page-answer.ts";

const file: PageFile = {
  type: "text/javascript;charset=utf-8",
  hash: "h",
  bodies: { identity: new Blob(["plain"]), br: new Blob(["b"]), gzip: new Blob(["gz"]) },
};
const small: PageFile = { ...file, bodies: { identity: file.bodies.identity } };

const ask = (headers: Record<string, string>, of = file, kind: "document" | "asset" = "asset") =>
  pageAnswer(of, new Request("http://localhost/", { headers }), kind);

describe("a file is sent in the smallest form that the browser takes", () => {
  const accepted: [string | undefined, string | null][] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["BR", "br"],
    ["*", "br"],
    ["*;q=0, gzip", "gzip"],
    ["br; q=0.000, *;q=0", null],
    ["identity", null],
    ["deflate", null],
    ["", null],
    [undefined, null],
    ["br;q=much", null],
  ];
  test.each(accepted)("%p: %p", async (header, encoding) => {
    const answer = ask(header === undefined ? {} : { "accept-encoding": header });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    const text = { br: "b", gzip: "gz" }[encoding ?? ""] ?? "plain";
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get("content-length")).toBe(String(text.length));
    expect(answer.headers.get("vary")).toBe("Accept-Encoding");
    expect(answer.headers.get("content-type")).toBe(file.type);
  });

  test("what is too short to be compressed goes as it is", async () => {
    const answer = ask({ "accept-encoding": "br" }, small);
    expect([answer.headers.get("content-encoding"), await answer.text()]).toEqual([null, "plain"]);
  });
});

test("each form has a tag of its own, and who has it gets no body", async () => {
  const tags = ["br", "gzip", "identity"].map((encoding) =>
    ask({ "accept-encoding": encoding }).headers.get("etag"),
  );
  expect(tags).toEqual(['"h-br"', '"h-gzip"', '"h"']);
  for (const has of ['"h-br"', 'W/"h-br"', '"other", "h-br"', "*"]) {
    const answer = ask({ "accept-encoding": "br", "if-none-match": has }, file, "document");
    expect([has, answer.status, await answer.text()]).toEqual([has, 304, ""]);
    expect(answer.headers.get("etag")).toBe('"h-br"');
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  }
  for (const has of ['"h"', '"h-gzip"', "h-br", ""]) {
    expect([has, ask({ "accept-encoding": "br", "if-none-match": has }).status]).toEqual([has, 200]);
  }
});
