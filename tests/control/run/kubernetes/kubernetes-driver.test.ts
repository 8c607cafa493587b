import { expect, test } from "bun:test";
import type { Instance, Listener } from "@berth/store";
import type { Cluster } from "../../../../server/control/run/kubernetes/cluster.ts";
import {
  Clusters,
  createKubernetes,
  type KubernetesDeps,
} from "../../../../server/control/run/kubernetes/index.ts";
import { logger } from "../../../../server/log/log.ts";
import { PRIVATE_TOO, Reach } from "../../../../server/reach/reach.ts";
import { until } from "../../../e2e/condition.ts";
import { aDeployment, anInstance, aRevision } from "../rig.ts";

/** The names of what a driver asks of its one cluster, which has a Deployment of everything. */
function driverOf(noted: boolean[]) {
  const asked: string[] = [];
  let isChanged = false;
  const cluster = {
    namespace: "agents",
    listMetadata: async () => {
      asked.push("list");
      const fieldsV1 = { "f:spec": { "f:template": {} } };
      const managedFields = isChanged ? [{ manager: "kubectl", fieldsV1 }] : [];
      return [{ metadata: { name: "berth-1", managedFields } }];
    },
    list: async () => {
      asked.push("list");
      return [{ metadata: { name: "berth-of-another-machine" } }];
    },
    remove: async () => void asked.push("remove"),
  } as unknown as Cluster;
  class OneCluster extends Clusters {
    override async of() {
      return { cluster, namespaces: ["agents"] };
    }

    override async placeOf() {
      return { cluster, namespace: "agents", name: "berth-1" };
    }
  }
  const listeners = {
    open: async () => undefined,
    clusters: async () => [{ id: "l" } as Listener],
    noteHealth: async () => {},
  };
  const log = logger("control");
  const { driver } = createKubernetes({
    ...{ listeners, logger: log, leads: () => true, clock: { now: () => 0 } },
    clusters: new OneCluster({ listeners, logger: log, environment: {}, reach: new Reach(PRIVATE_TOO) }),
    noteRemote: async (_: string, isRemote: boolean) => void noted.push(isRemote),
  } as unknown as KubernetesDeps);
  const change = () => {
    isChanged = true;
  };
  return { driver, asked, change };
}

const serving = (): Instance => ({
  ...anInstance(aRevision(aDeployment({ source: "external_docker" }))),
  ...{ driver: "kubernetes", state: "serving", container: "kubernetes:l:agents:berth-1" },
});

test("a machine that knows of no instance in a cluster ends none there: others lead, and run them", async () => {
  const { driver, asked } = driverOf([]);
  await driver.sweepOrphans();
  expect(asked).toEqual([]);
});

test("what a cluster has changed is written down once, however often it is looked at", async () => {
  const noted: boolean[] = [];
  const { driver, change } = driverOf(noted);
  const instance = serving();
  for (let looks = 0; looks < 3; looks += 1) expect(await driver.isAlive(instance)).toBe(true);
  change();
  // What was seen a moment ago is not asked again.
  await until("it to be seen", async () => (await driver.isAlive(instance)) && noted.length > 1);
  for (let looks = 0; looks < 3; looks += 1) await driver.isAlive(instance);
  expect(noted).toEqual([false, true]);
});
