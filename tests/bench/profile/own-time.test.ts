import { expect, test } from "bun:test";
import { topOf } from "./own-time.ts";

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  ...{ id, children, callFrame: { functionName, url, lineNumber: 7 } },
});

const profile = {
  nodes: [
    node(1, "(root)", "", [2, 5, 6]),
    node(2, "work", "file:///house/store/work.ts", [3]),
    node(3, "parse", "[native code]", [4]),
    node(4, "map", "/house/node_modules/@langchain/core/dist/map.js"),
    node(5, "(idle)", ""),
    node(6, "read", ""),
  ],
  startTime: 1_000_000,
  samples: [2, 2, 3, 4, 5, 6, 4],
  timeDeltas: [500, 1_000, 1_000, 1_000, 1_000, 1_000, 10_000],
};

test("own time is by function, without idle time and what is outside of the window", () => {
  const top = topOf([{ profile, window: { begin: 1_001, end: 1_006 } }], "/house");
  expect(top.split("\n")).toEqual([
    " 50.0 %  work store/work.ts:7",
    " 25.0 %  map @langchain/core/dist/map.js:7",
    " 25.0 %  native read",
    "100.0 %  together, of 4 samples",
    ...["", "By whose code it is:", ""],
    " 50.0 %  Berth: store",
    " 25.0 %  LangGraph and LangChain",
    " 25.0 %  native code that nobody is named for",
  ]);
});
