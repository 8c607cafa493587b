import type { Assistant, Cron } from "@berth/server";
import { CalendarClock, List, MoreHorizontal, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button, Menu } from "../../ui/index.ts";
import { assistantWords, useAssistants } from "../assistant.ts";
import { api, changedQuery, useAction, useAddressQuery, usePages, useProject } from "../data/index.ts";
import {
  Ago,
  agoText,
  type Column,
  ConfirmDialog,
  Empty,
  FilterBar,
  PagedTable,
  PageHead,
  useNow,
} from "../ui/index.ts";
import { CronDialog } from "./cron-dialog.tsx";
import { scheduleWords } from "./schedule-words.ts";
import { WORDS } from "./words.ts";
import "./crons.css";

const STATES = [
  { value: "on", label: WORDS.enabled },
  { value: "off", label: WORDS.disabled },
];

/** What the project runs by itself, and when. */
export function CronsScreen() {
  const { base, name, at } = useProject();
  const query = useAddressQuery();
  const [isCreating, setCreating] = useState(false);
  const assistants = useAssistants(base);
  const state = query.get("state");
  const body = {
    ...(state !== "" && { enabled: state === "on" }),
    ...{ sort_by: "next_run_date", sort_order: "asc" },
  };
  const crons = usePages<Cron>(`${base}/runs/crons/search`, { body, live: ["runs", "threads", "traces"] });
  const known = assistants.data ?? [];
  const create = (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)} data-testid="new-cron">
      {WORDS.newCron}
    </Button>
  );
  return (
    <>
      <PageHead
        title={WORDS.crons}
        sub={at === null ? WORDS.ownCronsNote : WORDS.cronsNote(name)}
        actions={create}
      />
      {(crons.rows.length > 0 || state !== "") && (
        <FilterBar filters={[{ name: "state", label: WORDS.state, kind: "choice", options: STATES }]} />
      )}
      <PagedTable
        label={WORDS.crons}
        testId="crons"
        columns={columnsOf(known, { base, at })}
        pages={crons}
        rowKey={({ cron_id }) => cron_id}
        empty={
          <Empty
            icon={<CalendarClock />}
            title={state === "" ? WORDS.noCronsYet : WORDS.noCronsMatch}
            text={state === "" ? WORDS.noCronsHint : WORDS.chooseAnotherState}
            action={state === "" ? create : undefined}
          />
        }
      />
      {isCreating && <CronDialog base={base} assistants={known} onClose={() => setCreating(false)} />}
    </>
  );
}

function columnsOf(
  assistants: readonly Assistant[],
  project: { base: string; at: string | null },
): Column<Cron>[] {
  return [
    { name: WORDS.scheduleColumn, width: "minmax(12rem, 2fr)", cell: (cron) => <When cron={cron} /> },
    {
      name: WORDS.assistant,
      width: "minmax(8rem, 1fr)",
      cell: ({ assistant_id }) => assistantWords(assistants, assistant_id),
    },
    { name: WORDS.next, width: "minmax(8rem, 1fr)", cell: (cron) => <NextRun cron={cron} /> },
    { name: WORDS.last, width: "6.5rem", cell: (cron) => <LastRun cron={cron} /> },
    {
      name: WORDS.created,
      width: "6.5rem",
      wideOnly: true,
      cell: ({ created_at }) => <Ago at={created_at} />,
    },
    {
      name: WORDS.actions,
      hideName: true,
      width: "7rem",
      cell: (cron) => <CronActions cron={cron} base={project.base} at={project.at} />,
    },
  ];
}

/** A schedule in words, and as it is written. */
function When({ cron: { schedule, timezone, end_time } }: { cron: Cron }) {
  const words = scheduleWords(schedule);
  return (
    <span className="cron-when">
      <span>{words ?? <code>{schedule}</code>}</span>
      <span className="cron-note">
        {words !== undefined && <code>{schedule}</code>} {timezone ?? WORDS.utc}
        {end_time !== null && WORDS.untilDay(day.format(new Date(end_time)))}
      </span>
    </span>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** When a cron fires next: how far away, and the time in its own zone. */
function NextRun({ cron: { next_run_date, enabled, timezone } }: { cron: Cron }) {
  const now = useNow();
  if (next_run_date === null)
    return <span className="cron-note">{enabled ? WORDS.none : WORDS.switchedOff}</span>;
  return (
    <span className="cron-when">
      <time dateTime={next_run_date}>{agoText(next_run_date, now)}</time>
      <span className="cron-note">{zoned(next_run_date, timezone)}</span>
    </span>
  );
}

function zoned(time: string, timezone: string | null): string {
  const shape = { weekday: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
  try {
    return new Intl.DateTimeFormat(undefined, { ...shape, timeZone: timezone ?? "UTC" }).format(
      new Date(time),
    );
  } catch {
    // A zone that this browser does not know.
    return time;
  }
}

/** The newest run of a cron, which its trace tells about. */
function LastRun({ cron: { last_run_date, last_run_id } }: { cron: Cron }) {
  if (last_run_date === null || last_run_id === null) return <span className="cron-note">{WORDS.never}</span>;
  return (
    <Link href={`/traces/${last_run_id}`} data-testid="cron-last-run">
      <Ago at={last_run_date} />
    </Link>
  );
}

type CronActionsProps = { cron: Cron; base: string; at: string | null };

/** Turning a cron on and off, and taking it away. */
function CronActions({ cron, base, at }: CronActionsProps) {
  const { cron_id, enabled, schedule } = cron;
  const { run, busy } = useAction();
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const path = `${base}/runs/crons/${cron_id}`;
  const words = scheduleWords(schedule) ?? schedule;
  const turn = () =>
    run(
      () => api(path, { method: "PATCH", body: { enabled: !enabled } }),
      enabled ? WORDS.turnedOff : WORDS.turnedOn,
    );
  const show = {
    label: WORDS.showItsThread,
    icon: <List />,
    onSelect: () => navigate(`/threads${changedQuery("", { at, thread: cron.thread_id })}`),
  };
  return (
    <span className="cron-actions">
      <label className="switch">
        <input
          type="checkbox"
          checked={enabled}
          disabled={busy}
          aria-label={WORDS.enabledNamed(words)}
          data-testid="cron-enabled"
          onChange={turn}
        />
      </label>
      <Menu
        label={WORDS.actionsFor(words)}
        icon={<MoreHorizontal />}
        size="small"
        testId="cron-menu"
        items={[
          ...(cron.thread_id === null ? [] : [show]),
          {
            label: WORDS.delete,
            icon: <Trash2 />,
            look: "danger" as const,
            testId: "cron-delete",
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && <DeleteCron path={path} words={words} onClose={() => setDeleting(false)} />}
    </span>
  );
}

type DeleteCronProps = { path: string; words: string; onClose: () => void };

function DeleteCron({ path, words, onClose }: DeleteCronProps) {
  const { run } = useAction();
  return (
    <ConfirmDialog
      title={WORDS.deleteThisCron}
      text={<p>{WORDS.deleteNote(words)}</p>}
      confirmText={WORDS.deleteIt}
      onConfirm={() => run(() => api(path, { method: "DELETE" }), WORDS.cronDeleted)}
      onClose={onClose}
    />
  );
}
