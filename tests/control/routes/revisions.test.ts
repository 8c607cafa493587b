import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Instances, REVISION_STATUSES } from "@berth/store";
import { githubBody, openControlRig, placesOf, type Rig, sourceBody, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
/** A deployment with 45 revisions: one waits, all before it were skipped. */
let id: string;
beforeAll(async () => {
  rig = await openControlRig();
  id = textOf((await rig.post("/v2/deployments", githubBody("busy"))).body, "id");
  for (let made = 1; made < 44; made += 1) await rig.post(`/v2/deployments/${id}/revisions`, {});
  // Every field may be left out, and so may the body.
  expect((await rig.post(`/v2/deployments/${id}/revisions`)).status).toBe(201);
});
afterAll(() => rig.close());

type Page = { resources: { id: string; status: string; created_at: string }[]; offset: number };
const list = async (query = "", of = id): Promise<Page> => {
  const { status, body } = await rig.get(`/v2/deployments/${of}/revisions${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as Page;
};
const statuses = ({ resources }: Page) => [...new Set(resources.map(({ status }) => status))].sort();

describe("the list", () => {
  test("gives twenty, newest first, and paging by offset reaches every one of them once", async () => {
    const first = await list();
    expect([first.resources.length, first.offset]).toEqual([20, 20]);
    const seen: string[] = [];
    let offset = 0;
    for (;;) {
      const page = await list(`?limit=7&offset=${offset}`);
      seen.push(...page.resources.map((revision) => revision.id));
      offset = page.offset;
      if (page.resources.length < 7) break;
    }
    expect(offset).toBe(45);
    expect(new Set(seen).size).toBe(45);
    expect(seen).toEqual([...seen].sort().reverse());
    expect(await list(`?offset=${offset}`)).toEqual({ resources: [], offset: 45 });
    expect((await list("?limit=100")).resources).toHaveLength(45);
    expect(Object.keys(first).sort()).toEqual(["offset", "resources"]);
  });

  test("filters by one status, by several, and by none where nothing is named", async () => {
    expect(statuses(await list("?status=SKIPPED&limit=100"))).toEqual(["SKIPPED"]);
    expect(statuses(await list("?status=SKIPPED,CREATING&limit=100"))).toEqual(["CREATING", "SKIPPED"]);
    expect(statuses(await list("?status=CREATING,%20DEPLOYED,&limit=100"))).toEqual(["CREATING"]);
    expect((await list("?status=DEPLOYED,BUILD_FAILED")).resources).toEqual([]);
    for (const empty of ["?status=", "?status=,", "?status=%20,,&remote_reconciled="])
      expect(statuses(await list(`${empty}&limit=100`))).toEqual(["CREATING", "SKIPPED"]);
    expect((await list(`?status=${REVISION_STATUSES.join(",")}&limit=100`)).resources).toHaveLength(45);
  });

  test("filters by who brings a revision about", async () => {
    for (const no of ["false", "0", "False"])
      expect((await list(`?remote_reconciled=${no}`)).resources).toHaveLength(20);
    for (const yes of ["true", "1"]) expect((await list(`?remote_reconciled=${yes}`)).resources).toEqual([]);
  });

  test("an unknown deployment is a 404 with its id, whatever else is asked", async () => {
    for (const query of ["", "?status=DEPLOYED&limit=1&offset=9"]) {
      const { status, body } = await rig.get(`/v2/deployments/${UNKNOWN_ID}/revisions${query}`);
      expect([status, body]).toEqual([404, { detail: `Deployment ID ${UNKNOWN_ID} not found.` }]);
    }
  });

  test("every fault of path and query is in one answer, in the words of pydantic", async () => {
    const query = "limit=101&offset=-1&status=DEPLOYED,BOGUS&remote_reconciled=maybe";
    const { status, body } = await rig.get(`/v2/deployments/no-uuid/revisions?${query}`);
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [
        {
          loc: ["path", "deployment_id"],
          msg: expect.stringContaining("UUID"),
          type: "uuid_parsing",
          input: "no-uuid",
        },
        {
          loc: ["query", "limit"],
          msg: "Input should be less than or equal to 100",
          type: "less_than_equal",
          input: "101",
          ctx: { le: 100 },
        },
        {
          loc: ["query", "offset"],
          msg: "Input should be greater than or equal to 0",
          type: "greater_than_equal",
          input: "-1",
          ctx: { ge: 0 },
        },
        {
          loc: ["query", "status"],
          msg: expect.stringContaining("'CREATING', 'QUEUED'"),
          type: "literal_error",
          input: "DEPLOYED,BOGUS",
          ctx: { expected: expect.stringContaining("'UNKNOWN'") },
        },
        {
          loc: ["query", "remote_reconciled"],
          msg: "Input should be a valid boolean, unable to interpret input",
          type: "bool_parsing",
          input: "maybe",
        },
      ],
      message: expect.stringMatching(/^path\.deployment_id: .*; query\.limit: Input should be .*100; /),
    });
  });

  test("each bound holds by itself", async () => {
    const wrong: [string, string][] = [
      ["limit", "0"],
      ["limit", "1e1"],
      ["limit", "ten"],
      ["offset", "1.5"],
      ["offset", "99999999999999999999"],
      ["status", "deployed"],
      ["status", "DEPLOYED;SKIPPED"],
      ["status", "DEPLOYED SKIPPED"],
      ["remote_reconciled", "2"],
    ];
    for (const [name, text] of wrong) {
      const answer = await rig.get(`/v2/deployments/${id}/revisions?${name}=${encodeURIComponent(text)}`);
      expect([name, text, placesOf(answer)]).toEqual([name, text, [`query.${name}`]]);
    }
    expect((await list("?limit=1")).resources).toHaveLength(1);
  });
});

test("a revision of another deployment is unknown", async () => {
  const other = textOf((await rig.post("/v2/deployments", githubBody("other"))).body, "id");
  const { resources } = await list("?limit=1");
  const revision = resources[0]?.id ?? "";
  expect((await rig.get(`/v2/deployments/${id}/revisions/${revision}`)).status).toBe(200);
  const { status, body } = await rig.get(`/v2/deployments/${other}/revisions/${revision}`);
  expect([status, body]).toEqual([404, { detail: `Revision ID ${revision} not found.` }]);
});

describe("create", () => {
  test("makes a revision in any case, with what is given over what was before", async () => {
    const at = textOf((await rig.post("/v2/deployments", githubBody("again"))).body, "id");
    const path = `/v2/deployments/${at}/revisions`;
    const wakes = rig.wakes;
    const { status, body } = await rig.post(path, { source_revision_config: { repo_ref: "next" } });
    expect([status, body]).toEqual([201, expect.objectContaining({ status: "CREATING", deployment_id: at })]);
    expect(body).toMatchObject({
      source_revision_config: { repo_ref: "next", langgraph_config_path: "graph.json" },
    });
    expect(rig.wakes).toBe(wakes + 1);
    expect((await rig.post(path, {})).status).toBe(201);
    expect((await list("", at)).resources).toHaveLength(3);
  });

  test("of what was never uploaded is refused", async () => {
    const at = textOf((await rig.post("/v2/deployments", sourceBody("nothing"))).body, "id");
    const { status, body } = await rig.post(`/v2/deployments/${at}/revisions`, {});
    expect([status, textOf(body, "detail")]).toEqual([400, expect.stringContaining("upload an archive")]);
  });
});

describe("interrupt and redeploy", () => {
  test("stops what has not begun at once, and once only", async () => {
    const made = await rig.post("/v2/deployments", githubBody("stopped"));
    const at = `/v2/deployments/${textOf(made.body, "id")}/revisions/${textOf(made.body, "latest_revision_id")}`;
    const { status, body } = await rig.post(`${at}/interrupt`);
    expect([status, body]).toEqual([200, expect.objectContaining({ status: "INTERRUPTED" })]);
    expect((await rig.post(`${at}/interrupt`)).status).toBe(400);
  });

  test("what never was deployed cannot be deployed again", async () => {
    const made = await rig.post("/v2/deployments", githubBody("never"));
    const at = `/v2/deployments/${textOf(made.body, "id")}/revisions/${textOf(made.body, "latest_revision_id")}`;
    const { status, body } = await rig.post(`${at}/redeploy`);
    expect([status, body]).toEqual([400, { detail: expect.any(String) }]);
  });

  test("a deployed revision is deployed again without a build", async () => {
    const { body } = await rig.post("/v2/deployments", githubBody("twice"));
    const [deployment, revision] = [textOf(body, "id"), textOf(body, "latest_revision_id")];
    for (const [from, to] of [
      ["CREATING", "AWAITING_BUILD"],
      ["AWAITING_BUILD", "BUILDING"],
      ["BUILDING", "AWAITING_DEPLOY"],
      ["AWAITING_DEPLOY", "DEPLOYING"],
    ] as const)
      expect(await rig.revisions.move(revision, from, to)).toMatchObject({ status: to });
    const instances = new Instances(rig.db, rig.clock, rig.box);
    const instance = await instances.create({
      deployment_id: deployment,
      revision_id: revision,
      driver: "process",
    });
    await instances.set(instance.id, { state: "ready" });
    expect(await rig.revisions.activate(revision, instance.id)).toBe(true);
    const at = `/v2/deployments/${deployment}/revisions/${revision}`;
    expect((await rig.get(at)).body).toMatchObject({
      status: "DEPLOYED",
      build_kept: true,
      deployed_at: expect.any(String),
    });
    const again = await rig.post(`${at}/redeploy`);
    expect([again.status, again.body]).toEqual([
      200,
      expect.objectContaining({ active_revision_id: revision }),
    ]);
    const { body: first } = await rig.get(at);
    expect(first).toMatchObject({ status: "DEPLOYING", ended_at: null });
    // How long it took is told of the newest time.
    expect(textOf(first, "began_at") > textOf(first, "deployed_at")).toBe(true);
    expect((await rig.post(`${at}/redeploy`)).status).toBe(400);
  });
});
