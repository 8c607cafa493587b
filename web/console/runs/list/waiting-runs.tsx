import type { System } from "@berth/server";
import { useIsOperator, useResource } from "../../data/index.ts";
import { Ago, type Column, Section, Table } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";

type WaitingRun = System["queue"]["waiting"]["runs"][number];

/** What changes only with the time, nobody tells. */
const LOOK_MS = 10_000;
/** More of them would push away the runs that have begun. */
const MOST_SHOWN = 5;

const WAITS_FOR: Record<Exclude<WaitingRun["why"], "time">, string> = {
  thread: WORDS.behindAnotherRun,
  places: WORDS.waitingForSlot,
  late: WORDS.waitingForServer,
  memory: WORDS.waitingForMemory,
  standby: WORDS.waitingForProcess,
};

/** The runs of the project served here that have not begun, and what each waits for; for whoever looks after the server. */
export function WaitingRuns() {
  const { data } = useResource<System>(useIsOperator() ? "/v1/system" : null, {
    everyMs: LOOK_MS,
    live: ["system", "runs"],
  });
  const runs = data?.queue.waiting.runs ?? [];
  if (!data || runs.length === 0) return null;
  const shown = runs.slice(0, MOST_SHOWN);
  const { due, later } = data.queue.waiting;
  const more = due + later - shown.length;
  return (
    <Section
      title={WORDS.notBegunYet}
      testId="waiting-runs"
      {...(more > 0 && { note: WORDS.moreWait(shown.length, more.toLocaleString()) })}
    >
      <Table label={WORDS.waitingRuns} columns={columns} rows={shown} rowKey={({ run_id }) => run_id} />
    </Section>
  );
}

const columns: Column<WaitingRun>[] = [
  { name: WORDS.run, width: "minmax(8rem, 1fr)", cell: ({ graph_id }) => graph_id ?? "–" },
  { name: WORDS.waitsFor, width: "minmax(12rem, 2fr)", cell: waitText },
  {
    name: WORDS.thread,
    width: "minmax(8rem, 1fr)",
    cell: ({ thread_id }) => <code title={thread_id}>{thread_id.slice(-12)}</code>,
    wideOnly: true,
  },
  { name: WORDS.created, width: "6rem", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
];

function waitText({ why, not_before }: WaitingRun): string {
  return why === "time" ? WORDS.notBefore(timeText(new Date(not_before))) : WAITS_FOR[why];
}

/** The time of day, with the day where that is another one. */
function timeText(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString([], {
    ...(!isToday && { month: "short", day: "numeric" }),
    ...{ hour: "2-digit", minute: "2-digit" },
  });
}
