import { expect, test } from "bun:test";
import type { Deployment, Revision } from "@berth/server";
import { formerOf, latestChanges, type RunningHere } from "../../../web/console/home/overview.ts";

const revision = (number: number, changes: Partial<Revision> = {}): Revision => ({
  ...{
    id: `r${number}`,
    deployment_id: "d",
    remote_reconciled: false,
    updated_at: "",
    number,
    status: "DEPLOYED",
    status_message: null,
    source: "internal_template",
  },
  source_revision_config: {
    ...{ repo_ref: null, langgraph_config_path: null, image_uri: null },
    ...{ source_tarball_path: null, repo_commit_sha: null },
  },
  ...{ created_at: `2026-11-22T0${number}:00:00Z`, deployed_at: `2026-11-22T0${number}:00:10Z` },
  ...{
    began_at: null,
    ended_at: null,
    build_kept: true,
    image_digest: null,
    created_by: null,
    deployed_by: null,
  },
  ...changes,
});

const running = (active: number | null, revisions: Revision[]): RunningHere => ({
  deployment: {
    ...{
      id: "d",
      tenant_id: "t",
      image_version: null,
      asleep_since: null,
      is_preview: false,
      latest_revision_status: null,
    },
    ...{
      secret_references: null,
      tracked_packages: null,
      name: "greeter",
      source: "internal_template",
      secrets: [],
      status: "READY",
    },
    source_config: {
      ...{
        integration_id: null,
        repo_url: null,
        build_on_push: null,
        require_api_key: null,
        health_path: null,
        custom_url: "",
        resource_spec: null,
      },
      ...{
        listener_id: null,
        listener_config: null,
        install_command: null,
        build_command: null,
        template: "chat",
        deployment_type: "dev",
      },
    },
    source_revision_config: revision(1).source_revision_config,
    ...{
      latest_revision_id: revisions[0]?.id ?? null,
      active_revision_id: active === null ? null : `r${active}`,
    },
    ...{ created_at: "2026-11-22T00:00:00Z", updated_at: "2026-11-22T00:00:00Z" },
  } satisfies Deployment,
  revisions,
});

test("one goes back to what served before, as far as its build is there", () => {
  const failed = revision(3, { status: "BUILD_FAILED", deployed_at: null });
  expect(formerOf(running(2, [failed, revision(2), revision(1)]))?.number).toBe(1);
  expect(formerOf(running(4, [revision(4), failed, revision(2)]))?.number).toBe(2);
  expect(formerOf(running(2, [revision(2), revision(1, { build_kept: false })]))).toBeUndefined();
  expect(formerOf(running(1, [revision(1)]))).toBeUndefined();
  expect(formerOf(running(null, [failed, revision(2)]))).toBeUndefined();
  // Gone back to the first: what came after it is no way back.
  expect(formerOf(running(1, [revision(2), revision(1)]))).toBeUndefined();
});

test("changes of all deployments are told newest first", () => {
  const all = [running(1, [revision(3), revision(1)]), running(2, [revision(4), revision(2)])];
  expect(latestChanges(all, 3).map(({ revision: { number } }) => number)).toEqual([4, 3, 2]);
});
