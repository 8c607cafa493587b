import { describe, expect, test } from "bun:test";
import { pathReaders } from "./path-readers.ts";
import { readSources } from "./source.ts";

test("nothing but the matcher reads the path of a request to decide anything", () => {
  expect(pathReaders(readSources())).toEqual([]);
});

describe("a path is read by", () => {
  const readers = [
    "const paths = /^\\/(?:v1|v2)(?:\\/|$)/;",
    "const twins = /^(?:\\/api-host)?\\/v1/;",
    "const paths = /^(?:\\/api-host)?\\/docs/;",
    'if (pathname === "/ok") return null;',
    'const isGateway = pathname.startsWith("/d/");',
    'const quiet = new Set(["/ok", "/metrics"]);',
  ];
  test.each(readers)("%s", (text) =>
    expect(pathReaders([{ path: "server/http/x.ts", text, imports: [] }])).toHaveLength(1),
  );
});
