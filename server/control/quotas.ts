import { type Deployments, type DiskQuota, QuotaReached, type Uploads } from "@berth/store";
import { Counts, type Reading } from "../readings/index.ts";
import type { Settings } from "../settings/index.ts";

type QuotasDeps = {
  limits: Settings["quotas"];
  deployments: Pick<Deployments, "mostOfAWorkspace">;
  uploads: Pick<Uploads, "mostOfAWorkspace">;
  disk: Pick<DiskQuota, "mostOfAWorkspace">;
  /** Requests that are open at the deployments of the workspace with the most. */
  requests: () => number;
};

/** Counts what quotas refuse, and how close the workspace is that is closest to one, for `/metrics`. */
export class Quotas {
  readonly #refused = new Counts(
    "berth_quota_refusals_total",
    "Requests that were refused, because a workspace has as much as it may have",
    ["quota"],
  );

  /** Counts the refusal, if work ends with one. @throws whatever the work throws */
  async counted<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof QuotaReached) this.refused(error.quota);
      throw error;
    }
  }

  refused(quota: QuotaReached["quota"]): void {
    this.#refused.add({ quota });
  }

  readings({ limits, deployments, uploads, disk, requests }: QuotasDeps): Reading[] {
    return [
      this.#refused,
      {
        name: "berth_quota_used_ratio",
        help: "How much of a quota the workspace uses that uses the most of it; 1 where it is reached",
        type: "gauge",
        labels: ["quota"],
        samples: async () => {
          const used = {
            deployments: await deployments.mostOfAWorkspace(),
            uploads: await uploads.mostOfAWorkspace(),
            disk: await disk.mostOfAWorkspace(),
            requests: requests(),
          };
          return Object.entries(used).flatMap(([quota, value]) => {
            const limit = limits[quota as keyof typeof used];
            return limit === null ? [] : [{ labels: { quota }, value: value / limit }];
          });
        },
      },
    ];
  }
}
