import { describe, expect, test } from "bun:test";
import {
  ANY,
  closed,
  controlPlane,
  liveness,
  PathMap,
  type Policy,
  page,
} from "../../../server/access/index.ts";

const named = (purpose: string, more: Partial<Policy> = {}): Policy => ({ ...closed, ...more, purpose });

function mapOf(...entries: [method: string, path: string, policy?: Policy][]) {
  const map = new PathMap<string>([
    ["/", closed],
    ["/v2", controlPlane],
  ]);
  for (const [method, path, policy] of entries) map.add(method, path, `${method} ${path}`, policy ?? closed);
  return map;
}

describe("what stands at a path", () => {
  const map = mapOf(
    ["GET", "/"],
    ["POST", "/runs"],
    ["POST", "/runs/crons"],
    ["GET", "/runs/:run_id"],
    ["DELETE", "/runs/:run_id"],
    ["GET", "/runs/:run_id/join"],
    ["GET", "/runs/crons/:cron_id"],
    [ANY, "/d/:id/*"],
    ["GET", "/d/:id/ok"],
  );
  const cases: [method: string, path: string, target: string | undefined, params: Record<string, string>][] =
    [
      ["GET", "/", "GET /", {}],
      ["HEAD", "/", "GET /", {}],
      ["POST", "/runs", "POST /runs", {}],
      ["POST", "/runs/", "POST /runs", {}],
      ["POST", "/runs//", undefined, {}],
      ["POST", "//runs", undefined, {}],
      ["GET", "//", undefined, {}],
      ["POST", "/runs/crons", "POST /runs/crons", {}],
      ["GET", "/runs/crons", "GET /runs/:run_id", { run_id: "crons" }],
      ["GET", "/runs/crons/join", "GET /runs/crons/:cron_id", { cron_id: "join" }],
      ["GET", "/runs/x/join", "GET /runs/:run_id/join", { run_id: "x" }],
      ["GET", "/runs/a%2Fb", "GET /runs/:run_id", { run_id: "a%2Fb" }],
      ["GET", "/runs//join", undefined, {}],
      ["GET", "/Runs/x", undefined, {}],
      ["GET", "/d/x/ok", "GET /d/:id/ok", { id: "x" }],
      ["POST", "/d/x/ok", "ANY /d/:id/*", { id: "x" }],
      ["PATCH", "/d/x/a/b//c", "ANY /d/:id/*", { id: "x" }],
      ["GET", "/d/x/", "ANY /d/:id/*", { id: "x" }],
      ["GET", "/d/x", undefined, {}],
      ["OPTIONS", "*", undefined, {}],
    ];
  test.each(cases)("%s %s", (method, path, target, params) => {
    const found = map.find(method, path);
    expect([found.target, found.params]).toEqual([target, params]);
  });

  test("the methods of a path are those of all that have it", () => {
    expect(map.find("PUT", "/runs/crons").methods).toEqual(["POST", "GET", "DELETE"]);
    expect(map.find("PUT", "/nothing").methods).toEqual([]);
  });

  test("nothing stands twice at a place", () => {
    expect(() => mapOf(["GET", "/a/:id"], ["GET", "/a/:id"])).toThrow("two operations at GET /a/:id");
  });
});

describe("who may call", () => {
  const upload = named("upload", { ...controlPlane, asks: "upload address" });
  const file = named("file", { asks: "component file", holdsFor: ({ graph }) => graph === "known" });
  const map = mapOf(
    ["GET", "/ok", liveness],
    ["GET", "/chat/:id", page],
    ["PUT", "/v2/uploads/:token", upload],
    ["GET", "/ui/:graph/:file", file],
  );
  const policyAt = (method: string, path: string) => map.find(method, path).policy;

  test("an operation's own policy counts for its method alone, unless it says so", () => {
    expect(policyAt("PUT", "/v2/uploads/x")).toBe(upload);
    expect(policyAt("POST", "/v2/uploads/x")).toBe(controlPlane);
    expect(policyAt("DELETE", "/chat/x")).toBe(page);
    expect(policyAt("DELETE", "/ok")).toBe(liveness);
  });

  test("what asks for less than its surroundings does so under its exact address only", () => {
    for (const [method, path] of [
      ["GET", "/ok/"],
      ["GET", "/chat/x/"],
      ["DELETE", "/chat/x/"],
    ] as const)
      expect([path, policyAt(method, path)]).toEqual([path, closed]);
    expect(policyAt("PUT", "/v2/uploads/x/")).toBe(controlPlane);
  });

  test("a policy that holds for some parameters leaves the others to the surroundings", () => {
    expect(policyAt("GET", "/ui/known/a.js")).toBe(file);
    expect(policyAt("GET", "/ui/unknown/a.js")).toBe(closed);
  });

  test("where no operation is, the nearest plane above decides", () => {
    expect(policyAt("GET", "/v2")).toBe(controlPlane);
    expect(policyAt("GET", "/v2/none/at/all")).toBe(controlPlane);
    expect(policyAt("GET", "/v2x")).toBe(closed);
    expect(policyAt("GET", "/none")).toBe(closed);
  });
});
