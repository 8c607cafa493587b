import type { Session, SessionsPage, Trace } from "@berth/server";
import { RotateCcw, Square, Tag, Trash2, X } from "lucide-react";
import { useState } from "react";
import { Button, TextField, useToast } from "../../../ui/index.ts";
import { api, useAction, useForget, useResource } from "../../data/index.ts";
import { ConfirmDialog, FormDialog } from "../../ui/index.ts";
import { baseOf, retryRun } from "../trace/index.ts";
import { WORDS } from "../words.tsx";
import type { Selection } from "./use-selection.ts";

type Asked = "delete" | "label" | undefined;

/** What can be done with several runs at once. */
export function BulkActions({ selection, refresh }: { selection: Selection; refresh: () => void }) {
  const { chosen, clear } = selection;
  const [asked, setAsked] = useState<Asked>();
  const bulk = useBulk(chosen, refresh);
  const { data } = useResource<SessionsPage>(chosen.length > 0 ? "/v1/sessions?limit=100" : null);
  if (chosen.length === 0) return null;
  const sessions = data?.resources ?? [];
  const underWay = chosen.filter(({ status }) => status === "pending");
  const placed = chosen.filter((run) => placeOf(run, sessions) !== undefined);
  const cancel = (run: Trace) => cancelRun(placeOf(run, sessions));
  const retry = async (run: Trace) => {
    const place = placeOf(run, sessions);
    if (place) await retryRun(place);
  };
  const again = () => bulk.each(placed, retry, WORDS.startedAgain);
  const stop = () => bulk.each(underWay, cancel, "cancelled");
  const all = chosen.length;
  const actions = [
    { id: "retry", label: WORDS.retry, icon: <RotateCcw />, of: placed.length, act: again },
    { id: "cancel", label: WORDS.cancel, icon: <Square />, of: underWay.length, act: stop },
    { id: "label", label: WORDS.label, icon: <Tag />, of: all, act: () => setAsked("label") },
    { id: "delete", label: WORDS.delete, icon: <Trash2 />, of: all, act: () => setAsked("delete") },
  ];
  return (
    <section className="bulk-actions" aria-label={WORDS.chosenRuns} data-testid="bulk-actions">
      <strong role="status">{WORDS.chosen(chosen.length)}</strong>
      {actions.map(({ id, label, icon, of, act }) => (
        <Button
          key={id}
          size="small"
          icon={icon}
          disabled={bulk.busy || of === 0}
          onClick={act}
          data-testid={`bulk-${id}`}
        >
          {label}
        </Button>
      ))}
      <Button size="small" look="quiet" icon={<X />} onClick={clear} data-testid="bulk-clear">
        {WORDS.clear}
      </Button>
      {asked === "delete" && <DeleteDialog runs={chosen} bulk={bulk} onClose={() => setAsked(undefined)} />}
      {asked === "label" && <LabelDialog runs={chosen} bulk={bulk} onClose={() => setAsked(undefined)} />}
    </section>
  );
}

function DeleteDialog({ runs, bulk, onClose }: { runs: readonly Trace[]; bulk: Bulk; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={runs.length === 1 ? WORDS.deleteThisTrace : WORDS.deleteTraces(runs.length)}
      text={WORDS.deleteTracesNote}
      confirmText={WORDS.delete}
      busy={bulk.busy}
      onConfirm={() => bulk.each(runs, ({ id }) => api(`/v1/traces/${id}`, { method: "DELETE" }), "deleted")}
      onClose={onClose}
    />
  );
}

type Bulk = ReturnType<typeof useBulk>;

const AT_ONCE = 4;

/** Does the same with each of several runs, and tells how many it worked for. */
function useBulk(chosen: readonly Trace[], refresh: () => void) {
  const { run, busy } = useAction();
  const toast = useToast();
  const forget = useForget("/v1/traces");
  const each = (runs: readonly Trace[], act: (run: Trace) => Promise<unknown>, done: string) =>
    run(async () => {
      const left = [...runs];
      let failed = 0;
      const work = async () => {
        for (let next = left.shift(); next; next = left.shift()) await act(next).catch(() => failed++);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      forget();
      refresh();
      toast(
        failed === 0
          ? { text: `${WORDS.runs(runs.length)} ${done}.` }
          : {
              text: WORDS.partlyDone(WORDS.runs(runs.length - failed), done, failed),
              look: "negative",
            },
      );
      return true;
    });
  return { each, busy, count: chosen.length };
}

function LabelDialog({ runs, bulk, onClose }: { runs: readonly Trace[]; bulk: Bulk; onClose: () => void }) {
  const [text, setText] = useState("");
  const fresh = text
    .split(",")
    .map((tag) => tag.trim().slice(0, 200))
    .filter(Boolean);
  const label = ({ id, tags }: Trace) =>
    api(`/v1/traces/${id}`, {
      method: "PATCH",
      body: { tags: [...new Set([...tags, ...fresh])].slice(0, 50) },
    });
  return (
    <FormDialog
      title={runs.length === 1 ? WORDS.labelThisRun : WORDS.labelRuns(runs.length)}
      confirmText={WORDS.addTags}
      isReady={fresh.length > 0}
      action={bulk}
      onDo={() => bulk.each(runs, label, "labelled")}
      onClose={onClose}
      small
      testId="label-dialog"
    >
      <TextField
        label={WORDS.tags}
        hint={WORDS.tagsHint}
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
        data-testid="label-tags"
      />
    </FormDialog>
  );
}

/** Where a run can be asked for again or stopped; undefined for runs of programs elsewhere. */
function placeOf({ id, session_id, thread_id }: Trace, sessions: readonly Session[]) {
  const session = sessions.find((each) => each.id === session_id);
  const base = session && baseOf(session);
  return base === undefined || thread_id === null ? undefined : { base, threadId: thread_id, runId: id };
}

const cancelRun = async (place: ReturnType<typeof placeOf>) =>
  place &&
  api(`${place.base}/threads/${place.threadId}/runs/${place.runId}/cancel?wait=0`, { method: "POST" });
