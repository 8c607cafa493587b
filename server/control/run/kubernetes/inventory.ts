import type { Cluster, KubeObject } from "./cluster.ts";
import type { ClusterPlace } from "./clusters.ts";
import { OURS } from "./manifests.ts";

/** What an instance cannot do without; an autoscaler only some have. */
const KINDS = ["Deployment", "Service", "Secret"] as const;
type Kind = (typeof KINDS)[number];

type Metadata = Pick<KubeObject, "metadata">;

/** What there is of an instance. */
type Seen = { deployment: Metadata | undefined; missing: Kind[] };

/** Of what there was of a namespace so long ago, nothing is asked again. */
const FRESH_MS = 1_000;

type List = { began: number; of: Record<Kind, Map<string, Metadata>> };
type Shelf = { last?: List; running?: Promise<List> | undefined };

/**
 * Which of Berth's objects are in a namespace. Each instance is looked at again and again: one look, of three lists
 * without what the objects hold, does for all of them.
 */
export class Inventory {
  readonly #shelves = new WeakMap<Cluster, Map<string, Shelf>>();

  /**
   * What is missing was missing after this was asked: an older list may be of a time before it was made.
   * @throws ClusterFailed
   */
  async see({ cluster, namespace, name }: ClusterPlace): Promise<Seen> {
    const asked = performance.now();
    const shelf = this.#shelfOf(cluster, namespace);
    if (shelf.last && asked - shelf.last.began < FRESH_MS) {
      const seen = seenIn(shelf.last, name);
      if (seen.missing.length === 0) return seen;
    }
    for (;;) {
      shelf.running ??= this.#list(cluster, namespace, shelf);
      const list = await shelf.running;
      const seen = seenIn(list, name);
      if (seen.missing.length === 0 || list.began >= asked) return seen;
    }
  }

  async #list(cluster: Cluster, namespace: string, shelf: Shelf): Promise<List> {
    const began = performance.now();
    try {
      const names = async (kind: Kind) => byName(await cluster.listMetadata(kind, namespace, OURS));
      const [Deployment, Service, Secret] = await Promise.all([
        names("Deployment"),
        names("Service"),
        names("Secret"),
      ]);
      shelf.last = { began, of: { Deployment, Service, Secret } };
      return shelf.last;
    } finally {
      shelf.running = undefined;
    }
  }

  #shelfOf(cluster: Cluster, namespace: string): Shelf {
    const shelves = this.#shelves.getOrInsertComputed(cluster, () => new Map());
    return shelves.getOrInsertComputed(namespace, () => ({}));
  }
}

const byName = (all: readonly Metadata[]) => new Map(all.map((one) => [one.metadata.name, one]));

const seenIn = ({ of }: List, name: string): Seen => ({
  deployment: of.Deployment.get(name),
  missing: KINDS.filter((kind) => !of[kind].has(name)),
});
