import type { Assistant, Cron } from "@berth/server";
import { useId, useState } from "react";
import { SelectField, TextField } from "../../ui/index.ts";
import { assistantOptions } from "../assistant.ts";
import { api, useSubmission } from "../data/index.ts";
import { FormDialog, JsonField, jsonFault } from "../ui/index.ts";
import { type CronDraft, emptyDraft, requestOf } from "./cron.ts";
import { scheduleWords } from "./schedule-words.ts";
import { WORDS } from "./words.ts";

type CronDialogProps = { base: string; assistants: readonly Assistant[]; onClose: () => void };

/** Puts a run on a schedule. */
export function CronDialog({ base, assistants, onClose }: CronDialogProps) {
  const action = useSubmission();
  const [chosen, setDraft] = useState<CronDraft>(() =>
    emptyDraft(Intl.DateTimeFormat().resolvedOptions().timeZone),
  );
  // The assistants may come after the dialog; until somebody chooses, it is the first of them.
  const draft = { ...chosen, assistant_id: chosen.assistant_id || (assistants[0]?.assistant_id ?? "") };
  const change = (changes: Partial<CronDraft>) => setDraft({ ...chosen, ...changes });
  const fault = jsonFault(draft.input);
  const create = () => {
    const { path, body } = requestOf(draft);
    const words = scheduleWords(draft.schedule) ?? WORDS.cronCreated;
    return action.run(() => api<Cron>(base + path, { method: "POST", body }), `${words}.`);
  };
  return (
    <FormDialog
      title={WORDS.newCron}
      confirmText={WORDS.create}
      isReady={fault === undefined && draft.assistant_id !== ""}
      action={action}
      onDo={create}
      onClose={onClose}
      wide
      testId="cron-dialog"
      confirmTestId="cron-submit"
    >
      <SelectField
        label={WORDS.assistant}
        value={draft.assistant_id}
        options={assistantOptions(assistants)}
        data-testid="cron-assistant"
        of="assistant_id"
        onChange={(assistant_id) => change({ assistant_id })}
      />
      <ScheduleField schedule={draft.schedule} timezone={draft.timezone} onChange={change} />
      <JsonField
        label={WORDS.input}
        hint={WORDS.inputHint}
        rows={5}
        value={draft.input}
        data-testid="cron-input"
        of="input"
        onChange={(input) => change({ input })}
      />
      <PlaceFields draft={draft} onChange={change} />
    </FormDialog>
  );
}

type PlaceFieldsProps = { draft: CronDraft; onChange: (changes: Partial<CronDraft>) => void };

function PlaceFields({ draft, onChange }: PlaceFieldsProps) {
  return (
    <>
      <div className="cron-columns">
        <TextField
          label={WORDS.thread}
          hint={WORDS.threadHint}
          value={draft.thread_id}
          spellCheck={false}
          data-testid="cron-thread"
          onChange={(event) => onChange({ thread_id: event.target.value.trim() })}
        />
        <TextField
          label={WORDS.until}
          hint={WORDS.untilHint}
          type="datetime-local"
          of="end_time"
          value={draft.end_time}
          onChange={(event) => onChange({ end_time: event.target.value })}
        />
      </div>
      {draft.thread_id === "" && (
        <label className="cron-check">
          <input
            type="checkbox"
            checked={draft.keep}
            data-testid="cron-keep"
            onChange={(event) => onChange({ keep: event.target.checked })}
          />
          {WORDS.keepThreads}
        </label>
      )}
    </>
  );
}

const COMMON = ["*/15 * * * *", "0 * * * *", "0 9 * * *", "0 9 * * 1-5", "0 9 * * 1", "0 0 1 * *"];

type ScheduleFieldProps = {
  schedule: string;
  timezone: string;
  onChange: (changes: { schedule?: string; timezone?: string }) => void;
};

/** When something is to run: five fields with their meaning in words, and the zone that they are in. */
function ScheduleField({ schedule, timezone, onChange }: ScheduleFieldProps) {
  const zones = useId();
  return (
    <div>
      <div className="cron-columns">
        <TextField
          label={WORDS.scheduleColumn}
          hint={scheduleWords(schedule) ?? WORDS.scheduleHint}
          value={schedule}
          spellCheck={false}
          autoComplete="off"
          data-testid="cron-schedule"
          of="schedule"
          onChange={(event) => onChange({ schedule: event.target.value })}
        />
        <TextField
          label={WORDS.timeZone}
          list={zones}
          value={timezone}
          spellCheck={false}
          autoComplete="off"
          data-testid="cron-timezone"
          of="timezone"
          onChange={(event) => onChange({ timezone: event.target.value.trim() })}
        />
      </div>
      <datalist id={zones}>
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div className="cron-common">
        {COMMON.map((common) => (
          <button
            key={common}
            type="button"
            className="button button-plain button-small"
            aria-pressed={common === schedule}
            onClick={() => onChange({ schedule: common })}
          >
            {scheduleWords(common)}
          </button>
        ))}
      </div>
    </div>
  );
}
