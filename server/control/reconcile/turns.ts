import { isBusy, lacksInputs, type Revision } from "@berth/store";

/** What a revision's next step is. */
export type Turn = {
  revision: Revision;
  step: "prepare" | "build" | "deploy" | "begin" | "skip" | "interrupt";
};

/**
 * Whose turn it is among the revisions of one deployment that are not at their end. One of them builds or
 * deploys; what comes meanwhile is looked at and then waits; of those that wait, the newest goes on alone.
 * @param revisions oldest first
 */
export function turnsOf(revisions: readonly Revision[], isDeleting: boolean): Turn[] {
  const ended = revisions.filter((revision) => isDeleting || revision.interrupt);
  const going = revisions.filter((revision) => !ended.includes(revision));
  const turns: Turn[] = ended.map((revision) => ({ revision, step: "interrupt" }));
  for (const revision of going) if (revision.status === "CREATING") turns.push({ revision, step: "prepare" });
  // One that is being interrupted still has its process or its folder: the next one waits for its end.
  const holder = revisions.find(({ status }) => isBusy(status));
  if (holder === undefined) return [...turns, ...waitingTurns(going)];
  if (!ended.includes(holder))
    turns.push({ revision: holder, step: isBuilding(holder) ? "build" : "deploy" });
  return turns;
}

/** Whether a revision comes to wait when it has been looked at: another one is before it, or beside it. */
export function mustQueue(revision: Revision, inFlight: readonly Revision[]): boolean {
  return inFlight.some(
    (other) => other.deployment_id === revision.deployment_id && other.id !== revision.id && hasSource(other),
  );
}

/** A deployment may be created before its first upload: then there is nothing to build or run yet. */
const hasSource = ({ source, config }: Revision): boolean => !lacksInputs(source, config);

function waitingTurns(going: readonly Revision[]): Turn[] {
  const waiting = going.filter((revision) => revision.status === "QUEUED" && hasSource(revision));
  const newest = waiting.at(-1);
  return waiting.map((revision) => ({ revision, step: revision === newest ? "begin" : "skip" }));
}

const isBuilding = ({ status }: Revision): boolean => status === "AWAITING_BUILD" || status === "BUILDING";
