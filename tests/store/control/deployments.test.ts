import { expect, test } from "bun:test";
import { BadRequest, Conflict, NotFound, SECRET_MASK } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startControlStore, UNKNOWN_ID } from "./control-store.ts";

const all = { limit: 100, offset: 0 };

everyStore("deployments", (open) => {
  const start = () => startControlStore(open);

  test("begin with a first revision, and are read as they were made", async () => {
    const { create, clock, deployments, revisions } = await start();
    const { deployment, revision } = await create({
      source: "github",
      source_config: { repo_url: "https://host/repo", build_on_push: true, deployment_type: "dev" },
      config: { repo_ref: "main", langgraph_config_path: "graph.json" },
      secrets: [{ name: "KEY", value: "hunter2" }],
    });
    const now = clock.now();
    expect(deployment).toMatchObject({
      workspace_id: HERE,
      name: "agent",
      source: "github",
      status: "AWAITING_DATABASE",
      secret_names: ["KEY"],
      secret_references: null,
      tracked_packages: null,
      latest_revision_id: revision.id,
      active_revision_id: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    });
    expect(deployment.source_config).toEqual({
      integration_id: null,
      repo_url: "https://host/repo",
      deployment_type: "dev",
      custom_url: null,
      install_command: null,
      build_command: null,
      template: null,
      listener_id: null,
      build_on_push: true,
      require_api_key: null,
      health_path: null,
      resource_spec: null,
      listener_config: null,
    });
    const config = {
      repo_ref: "main",
      langgraph_config_path: "graph.json",
      image_uri: null,
      source_tarball_path: null,
      repo_commit_sha: null,
      image_digest: null,
    };
    expect(deployment.config).toEqual(config);
    expect(revision).toMatchObject({ number: 1, status: "CREATING", config, step: null, build: null });
    expect(JSON.stringify([deployment, revision])).not.toContain("hunter2");
    expect(await deployments.get(HERE, deployment.id)).toEqual(deployment);
    expect(await revisions.get(HERE, deployment.id, revision.id)).toEqual(revision);
    expect(await revisions.secretsOf(revision.id)).toEqual([{ name: "KEY", value: "hunter2" }]);
    expect(await deployments.pushSecret(deployment.id)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("have a name of their own in their workspace, and a user of their own anywhere", async () => {
    const { create } = await start();
    const { deployment } = await create();
    expect(await outcome(create())).toThrow(new Conflict("A deployment named 'agent' exists already."));
    const other = await create({}, ELSEWHERE);
    const third = await create({ name: "third" });
    const { uid } = deployment;
    expect(uid % 100).toBe(0);
    expect(Math.floor(uid / 20_000)).toBe(2);
    expect([other.deployment.uid, third.deployment.uid]).toEqual([uid + 1, uid + 2]);
  });

  test("that wait for an archive or an image are queued until it is there", async () => {
    const { create, deployments, statuses, upload } = await start();
    const given = { source: "internal_source", source_config: {} } as const;
    const { deployment, revision } = await create(given);
    expect(revision.status).toBe("QUEUED");
    expect((await create({ name: "b", source: "internal_docker" })).revision.status).toBe("QUEUED");
    const config = {
      source_tarball_path: await upload(deployment.id),
      langgraph_config_path: "a/graph.json",
    };
    const patched = await deployments.patch(HERE, deployment.id, { config });
    expect(patched.revision).toMatchObject({ number: 1, status: "CREATING", config });
    expect(patched.deployment).toMatchObject({ latest_revision_id: patched.revision?.id, config });
    expect(await statuses(deployment.id)).toEqual(["SKIPPED", "CREATING"]);
  });

  test("get one new revision from a patch, if anything in it asks for one", async () => {
    const { create, deployments } = await start();
    const { deployment } = await create({
      source: "github",
      source_config: { repo_url: "https://host/repo" },
      config: { repo_ref: "main", langgraph_config_path: "graph.json", repo_commit_sha: "abc" },
    });
    const patch = async (given: Parameters<typeof deployments.patch>[2]) =>
      (await deployments.patch(HERE, deployment.id, given)).revision;
    expect(await patch({})).toBeNull();
    expect(await patch({ source_config: { build_on_push: true }, tracked_packages: ["a:1"] })).toBeNull();
    expect(await patch({ config: { repo_ref: null }, secrets: null })).toBeNull();
    const second = await patch({ config: { repo_ref: "next" }, secrets: [], secret_references: [] });
    expect(second).toMatchObject({
      number: 2,
      config: { repo_ref: "next", langgraph_config_path: "graph.json" },
    });
    // Which commit the branch is at is found out anew.
    expect(second?.config.repo_commit_sha).toBeNull();
    expect(await patch({ secrets: [] })).toMatchObject({ number: 3, config: { repo_ref: "next" } });
    expect(await patch({ source_config: { resource_spec: { cpu: 1 } } })).toMatchObject({
      number: 4,
      settings: { resource_spec: { cpu: 1 }, build_on_push: true, repo_url: "https://host/repo" },
    });
    expect(await patch({ always: true, revisionSource: "internal_docker" })).toMatchObject({
      number: 5,
      source: "internal_docker",
    });
    const { latest_revision_id, source, tracked_packages } = await deployments.get(HERE, deployment.id);
    expect([source, tracked_packages]).toEqual(["github", ["a:1"]]);
    expect(await patch({})).toBeNull();
    expect((await deployments.get(HERE, deployment.id)).latest_revision_id).toBe(latest_revision_id);
  });

  test("keep a secret whose mask comes back, and each revision the secrets of its time", async () => {
    const { create, deployments, revisions } = await start();
    const { deployment, revision } = await create({
      secrets: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
    });
    const patched = await deployments.patch(HERE, deployment.id, {
      secrets: [
        { name: "B", value: SECRET_MASK },
        { name: "C", value: "3" },
      ],
    });
    expect(patched.deployment.secret_names).toEqual(["B", "C"]);
    const after = [
      { name: "B", value: "2" },
      { name: "C", value: "3" },
    ];
    expect(await revisions.secretsOf(patched.revision?.id ?? "")).toEqual(after);
    expect((await revisions.secretsOf(revision.id)).map(({ value }) => value)).toEqual(["1", "2"]);
    const again = await deployments.patch(HERE, deployment.id, { always: true });
    expect(await revisions.secretsOf(again.revision?.id ?? "")).toEqual(after);
    const unknown = deployments.patch(HERE, deployment.id, { secrets: [{ name: "A", value: SECRET_MASK }] });
    expect(await outcome(unknown)).toThrow("The secret 'A' has no value yet");
    expect(await outcome(unknown)).toThrow(BadRequest);
  });

  test("are made from uploads of their own that arrived, and from no others", async () => {
    const { create, deployments, upload, uploads } = await start();
    const given = { source: "internal_source", source_config: {} } as const;
    const { deployment } = await create(given);
    const other = (await create({ ...given, name: "other" })).deployment;
    const mine = await upload(deployment.id);
    const theirs = await upload(other.id);
    const { objectPath: empty } = await uploads.issue(HERE, deployment.id);
    const invented = `uploads/${deployment.id}/${UNKNOWN_ID}`;
    for (const source_tarball_path of [theirs, empty, invented, "/etc/passwd"]) {
      const patched = deployments.patch(HERE, deployment.id, { config: { source_tarball_path } });
      expect(await outcome(patched)).toThrow(BadRequest);
    }
    expect(await outcome(create({ ...given, name: "c", config: { source_tarball_path: mine } }))).toThrow(
      BadRequest,
    );
    expect(await outcome(deployments.patch(HERE, deployment.id, { config: { image_uri: theirs } }))).toThrow(
      BadRequest,
    );
    const config = { source_tarball_path: mine };
    expect((await deployments.patch(HERE, deployment.id, { config })).revision?.config).toMatchObject(config);
    // The next one is made from the same archive.
    expect((await deployments.patch(HERE, deployment.id, { secrets: [] })).revision?.config).toMatchObject(
      config,
    );
  });

  test("of another workspace are as unknown ones", async () => {
    const { create, deployments, revisions, uploads } = await start();
    const { deployment, revision } = await create({}, ELSEWHERE);
    const gone = new NotFound(`Deployment ID ${deployment.id} not found.`);
    const asked = [
      () => deployments.get(HERE, deployment.id),
      () => deployments.patch(HERE, deployment.id, { always: true }),
      () => deployments.markDeleted(HERE, deployment.id),
      () => revisions.get(HERE, deployment.id, revision.id),
      () => revisions.list(HERE, deployment.id, {}, all),
      () => revisions.redeploy(HERE, deployment.id, revision.id),
      () => revisions.requestInterrupt(HERE, deployment.id, revision.id),
      () => uploads.issue(HERE, deployment.id),
    ];
    for (const answer of asked) expect(await outcome(answer())).toThrow(gone);
    expect(await deployments.list(HERE, { ids: [deployment.id] }, all)).toEqual([]);
    expect(await deployments.find(deployment.id)).toEqual(deployment);
    expect(await deployments.find(UNKNOWN_ID)).toBeUndefined();
    expect(await outcome(deployments.get(HERE, UNKNOWN_ID))).toThrow(
      `Deployment ID ${UNKNOWN_ID} not found.`,
    );
    // A revision of one deployment is not found in another of the same workspace.
    const mine = await create();
    expect(await outcome(revisions.get(HERE, mine.deployment.id, revision.id))).toThrow(
      new NotFound(`Revision ID ${revision.id} not found.`),
    );
  });

  test("are listed newest first, the very name before all", async () => {
    const { create, deployments } = await start();
    for (const name of ["agent-1", "Agent", "agent", "my_agent", "agent%", "other"]) await create({ name });
    await create({ name: "agent" }, ELSEWHERE);
    const names = async (filter: Parameters<typeof deployments.list>[1], page = all) =>
      (await deployments.list(HERE, filter, page)).map(({ name }) => name);
    expect(await names({})).toEqual(["other", "agent%", "my_agent", "agent", "Agent", "agent-1"]);
    expect(await names({ nameContains: "" })).toHaveLength(6);
    const found = ["agent", "agent%", "my_agent", "Agent", "agent-1"];
    expect(await names({ nameContains: "agent" })).toEqual(found);
    expect(await names({ nameContains: "%" })).toEqual(["agent%"]);
    expect(await names({ name: "Agent" })).toEqual(["Agent"]);
    expect(await names({ name: "other", nameContains: "agent" })).toEqual([]);
    const paged: string[] = [];
    for (let offset = 0; ; offset += 2) {
      const page = await names({ nameContains: "agent" }, { limit: 2, offset });
      paged.push(...page);
      if (page.length < 2) break;
    }
    expect(paged).toEqual(found);
    expect(await names({ nameContains: "agent" }, { limit: 1, offset: 0 })).toEqual(["agent"]);
  });

  test("are found by what they are", async () => {
    const { create, deploy, deployments } = await start();
    const free = await create({
      name: "free",
      source_config: { template: "chat", deployment_type: "dev_free" },
    });
    const remote = await create({
      name: "remote",
      source: "external_docker",
      source_config: { listener_id: UNKNOWN_ID, deployment_type: "prod" },
      config: { image_uri: "image" },
    });
    await deploy(free.revision);
    const found = async (filter: Parameters<typeof deployments.list>[1]) =>
      (await deployments.list(HERE, filter, all)).map(({ name }) => name);
    expect(await found({ deploymentType: "prod" })).toEqual(["remote"]);
    expect(await found({ remoteReconciled: true })).toEqual(["remote"]);
    expect(await found({ remoteReconciled: false })).toEqual(["free"]);
    expect(await found({ status: "READY" })).toEqual(["free"]);
    expect(await found({ ids: [remote.deployment.id, UNKNOWN_ID] })).toEqual(["remote"]);
    expect(await found({ ids: [] })).toEqual([]);
    expect(await found({ imageVersion: "1" })).toEqual([]);
    expect(await found({ tagValueIds: [] })).toEqual(["remote", "free"]);
    expect(await found({ tagValueIds: [UNKNOWN_ID] })).toEqual([]);
    expect(await deployments.countFree(HERE)).toBe(1);
    expect(await deployments.countFree(ELSEWHERE)).toBe(0);
    expect((await deployments.active()).map(({ name }) => name)).toEqual(["free"]);
  });

  test("go in two steps, and free their name with the second", async () => {
    const { create, deploy, deployments, instances, revisions, logs, statuses } = await start();
    const { deployment, revision } = await create();
    const { id, workspace_id, uid } = deployment;
    const instance = await deploy(revision);
    const line = { deployment_id: id, revision_id: revision.id, at: 1, message: "hello" };
    await logs.append([{ ...line, kind: "build", level: "INFO" }]);
    await deployments.patch(HERE, id, { always: true });
    await deployments.erase(id);
    expect(await statuses(id)).toEqual(["DEPLOYED", "CREATING"]);
    await deployments.markDeleted(HERE, id);
    expect(await outcome(deployments.markDeleted(HERE, id))).toThrow(NotFound);
    expect(await outcome(deployments.get(HERE, id))).toThrow(NotFound);
    expect(await deployments.list(HERE, {}, all)).toEqual([]);
    expect(await deployments.active()).toEqual([]);
    const [waiting] = await deployments.awaitingDelete();
    expect(waiting).toMatchObject({ id, workspace_id, status: "AWAITING_DELETE" });
    expect(await revisions.inFlight()).toEqual([]);
    expect(await outcome(create())).toThrow("still being deleted");
    await deployments.erase(id);
    expect(await deployments.find(id)).toBeUndefined();
    expect(await revisions.find(revision.id)).toBeUndefined();
    expect(await instances.get(instance.id)).toBeUndefined();
    const query = { deploymentId: id, kind: "build", order: "asc", limit: 10 } as const;
    expect((await logs.read(query)).lines).toEqual([]);
    expect((await create()).deployment.uid).toBe(uid + 1);
  });

  test("tell what changed about them, each to its own workspace", async () => {
    const { create, deploy, deployments, changes } = await start();
    expect(await changes.newest()).toBe(0);
    const { deployment, revision } = await create();
    const { id } = deployment;
    await create({}, ELSEWHERE);
    const told = async (seq: number) =>
      (await changes.after(HERE, seq, 100)).map(({ kind, status }) => `${kind} ${status}`);
    expect(await told(0)).toEqual(["deployment AWAITING_DATABASE", "revision CREATING"]);
    const before = await changes.newest();
    await deploy(revision);
    expect(await told(before)).toEqual([
      "revision AWAITING_DEPLOY",
      "revision DEPLOYING",
      "revision DEPLOYED",
      "deployment READY",
    ]);
    const [first] = await changes.after(HERE, before, 1);
    expect(first).toMatchObject({ deployment_id: id, revision_id: revision.id, kind: "revision" });
    const deployed = await changes.newest();
    await deployments.patch(HERE, id, { always: true });
    await deployments.markDeleted(HERE, id);
    expect(await told(deployed)).toEqual([
      "revision CREATING",
      "deployment READY",
      "revision INTERRUPTED",
      "deleted AWAITING_DELETE",
    ]);
    expect(await changes.after(ELSEWHERE, 0, 100)).toHaveLength(2);
  });
});
