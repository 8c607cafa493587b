import { describe, expect, test } from "bun:test";
import type { Revision, SourceConfig } from "@berth/server";
import { errorRate, originOf, tookMs, withQuietMinutes } from "../../../web/console/deployment.tsx";
import { emptyDraft, lackOf, suggestedName } from "../../../web/console/deployments/fresh/new-deployment.ts";
import { shownLine } from "../../../web/console/deployments/logs/log.ts";
import { stepsOf } from "../../../web/console/deployments/rollout.tsx";
import {
  branchesOf,
  holdsText,
  namespaceFault,
  previewOf,
  valueFault,
} from "../../../web/console/store/item.ts";
import { readEvent } from "../../../web/data/realtime.ts";

const MINUTE = 60_000;
const T = Date.UTC(2026, 0, 1, 12);

test("minutes in which nothing happened have their place", () => {
  const told = {
    minute: new Date(T - 3 * MINUTE).toISOString(),
    requests: 4,
    errors: 1,
    p50_ms: 2,
    p95_ms: 9,
    open_streams: 0,
    memory_bytes: 5,
  };
  const minutes = withQuietMinutes([told], 4, T + 1_234);
  expect(minutes.map(({ requests }) => requests)).toEqual([0, 4, 0, 0]);
  expect(minutes.at(-1)).toMatchObject({ minute: new Date(T - MINUTE).toISOString(), p95_ms: null });
});

test.each([
  [{ requests: 0, errors: 0 }, "–"],
  [{ requests: 10, errors: 0 }, "0 %"],
  [{ requests: 1_000, errors: 3 }, "0.3 %"],
  [{ requests: 3, errors: 1 }, "33 %"],
])("errors of %p are %s", (figures, words) => expect(errorRate(figures)).toBe(words));

describe("a revision", () => {
  const never = { began_at: new Date(T).toISOString(), deployed_at: null };
  const states = (
    status: Revision["status"],
    source: Revision["source"] = "github",
    when: Partial<Revision> = {},
  ) => stepsOf({ ...never, ...when, status, source }).map(({ label, state }) => `${label} ${state}`);

  test("goes its way step by step", () => {
    expect(states("BUILDING")).toEqual(["Prepare done", "Build current", "Start ahead", "Serve ahead"]);
    expect(states("DEPLOY_FAILED", "internal_template")).toEqual([
      "Prepare done",
      "Start failed",
      "Serve ahead",
    ]);
    const served = { deployed_at: new Date(T + 1_000).toISOString() };
    expect(states("DEPLOY_FAILED", "internal_template", served)).toEqual([
      "Prepare done",
      "Start done",
      "Serve failed",
    ]);
    expect(states("DEPLOYED", "internal_template")).toEqual(["Prepare done", "Start done", "Serve done"]);
    expect(states("INTERRUPTED")).toEqual(["Prepare ahead", "Build ahead", "Start ahead", "Serve ahead"]);
  });

  test("took as long as work on it did, and takes as long as it does", () => {
    const revision = { ...never, ended_at: null, status: "BUILDING" } as Revision;
    expect(tookMs(revision, T + 5_000)).toBe(5_000);
    expect(tookMs({ ...revision, ended_at: new Date(T + 700).toISOString() }, T + 9_000)).toBe(700);
    const [deployed_at, ended_at] = [500, 60_000].map((ms) => new Date(T + ms).toISOString());
    expect(tookMs({ ...revision, deployed_at, ended_at } as Revision, T + 90_000)).toBe(500);
    expect(tookMs({ ...revision, status: "QUEUED" }, T)).toBeNull();
  });

  test.each([
    ["https://github.com/me/agent.git", "me/agent · main"],
    ["git@example.org:team/agent.git", "team/agent · main"],
    ["ssh://git@example.org/team/agent", "team/agent · main"],
  ])("of %s is from %s", (repo_url, words) => {
    const source_config = { repo_url } as SourceConfig;
    const config = {
      repo_ref: "main",
      langgraph_config_path: "graph.json",
      image_uri: null,
      source_tarball_path: null,
      repo_commit_sha: null,
    };
    expect(originOf({ source: "github", source_config }, config)).toBe(words);
  });
});

test.each([
  [{ ...emptyDraft("internal_template"), template: "chat" }, "chat"],
  [{ ...emptyDraft("github"), repo_url: "https://github.com/me/my.agent.git" }, "my-agent"],
  [{ ...emptyDraft("internal_docker"), image_uri: "ghcr.io/me/agent:1.2" }, "agent"],
  [
    {
      ...emptyDraft("internal_source"),
      project: { kind: "archive" as const, file: new File([], "My Agent.tar.gz") },
    },
    "My-Agent",
  ],
])("what was chosen suggests a name (%#)", (draft, name) => {
  expect(suggestedName(draft)).toBe(name);
  expect(lackOf({ ...draft, name })).toBeUndefined();
  expect(lackOf({ ...draft, name: "a b" })).toContain("A name has");
});

test("a log line says its message; JSON its message, and the rest behind it", () => {
  expect(shownLine("\u001b[31mplain\u001b[0m")).toEqual({ text: "plain" });
  expect(shownLine('{"time":1,"level":"info","msg":"ready","port":80}')).toEqual({
    text: "ready",
    fields: "port=80",
  });
  expect(shownLine('{"a":1}')).toEqual({ text: '{"a":1}' });
  expect(shownLine("{ half")).toEqual({ text: "{ half" });
});

test("an event has the fields of its lines, heartbeats between them or not", () => {
  expect(readEvent(': heartbeat\nid: 7\nevent: line\ndata: {"a":1}')).toEqual({
    id: "7",
    event: "line",
    data: '{"a":1}',
  });
  expect(readEvent(": heartbeat")).toEqual({ id: "", event: "message", data: "" });
});

describe("the store", () => {
  test("shows namespaces as a tree, those between included", () => {
    const branches = branchesOf([["users", "ada"], ["users"], ["team", "a", "b"], ["users-2"]]);
    expect(branches.map(({ name, depth }) => `${depth} ${name}`)).toEqual([
      "0 team",
      "1 team.a",
      "2 team.a.b",
      "0 users",
      "1 users.ada",
      "0 users-2",
    ]);
  });

  test("finds a text in keys and values, and previews both kinds", () => {
    const item = { namespace: ["n"], key: "Likes", value: { text: "Tea" }, created_at: "", updated_at: "" };
    expect([holdsText(item, "tea"), holdsText(item, "LIKES"), holdsText(item, "coffee")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(previewOf({ text: "Tea" })).toBe("text: Tea");
    expect(previewOf({ a: 1, b: [2] })).toBe('{"a":1,"b":[2]}');
  });

  test("knows what is no value and no namespace", () => {
    expect(valueFault("{}")).toBeUndefined();
    expect(valueFault("[1]")).toContain("object");
    expect(valueFault("{")).toContain("not valid JSON");
    expect(namespaceFault("a.b")).toBeUndefined();
    expect(namespaceFault("a..b")).toContain("users.ada");
  });
});
