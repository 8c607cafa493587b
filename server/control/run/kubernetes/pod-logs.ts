import type { Clock, Instance } from "@berth/store";
import type { LogSource } from "../container/index.ts";
import { ClusterFailed } from "./cluster.ts";
import type { Clusters } from "./clusters.ts";
import { podsOf } from "./kubernetes-driver.ts";

/**
 * What lines of several pods need to be all there: the newest ones are left for the next look, so that a line of one
 * pod never comes after a later one of another was taken.
 */
const SETTLED_MS = 1_500;

/** Maximum number of bytes that are read, sorted and written at once, of all pods of an instance. */
const MAX_BYTES = 4_194_304;

/** What the pods of an instance print, in the one order of their times. */
export class PodLogs implements LogSource {
  constructor(
    private readonly clusters: Clusters,
    /** False where another Berth on the database reads them. */
    private readonly leads: () => boolean,
    private readonly clock: Clock,
  ) {}

  isReadable({ container }: Instance): boolean {
    return container !== null && this.leads();
  }

  async *printed(instance: Instance, since: string): AsyncGenerator<string | null> {
    const place = await this.clusters.placeOf(instance);
    if (!place) return;
    const pods = await podsOf(place, instance.id);
    const logs = await Promise.all(
      pods.map(({ metadata }) =>
        place.cluster
          .log(place.namespace, metadata.name, since, MAX_BYTES / pods.length)
          .catch(ignoreUnstarted),
      ),
    );
    const lines = logs.flatMap((log) => log.split("\n").filter(Boolean));
    // By the time in front of each, which is of one form and of nanoseconds.
    lines.sort((one, other) => compare(timeOf(one), timeOf(other)));
    const settled = pods.length > 1 ? new Date(this.clock.now() - SETTLED_MS).toISOString() : "9";
    for (const line of lines) if (timeOf(line) < settled) yield line;
  }
}

const timeOf = (line: string): string => line.slice(0, line.indexOf(" "));
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** A pod whose container is still being made has no log: 400. */
function ignoreUnstarted(error: unknown): string {
  if (error instanceof ClusterFailed && (error.status === 400 || error.status === 404)) return "";
  throw error;
}
