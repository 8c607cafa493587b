import { useId } from "react";
import { TextField } from "../../ui/index.ts";
import { scheduleWords } from "./schedule-words.ts";

const COMMON = ["*/15 * * * *", "0 * * * *", "0 9 * * *", "0 9 * * 1-5", "0 9 * * 1", "0 0 1 * *"];

type ScheduleFieldProps = {
  schedule: string;
  timezone: string;
  onChange: (changes: { schedule?: string; timezone?: string }) => void;
};

/** When something is to run: five fields with their meaning in words, and the zone that they are in. */
export function ScheduleField({ schedule, timezone, onChange }: ScheduleFieldProps) {
  const zones = useId();
  return (
    <div>
      <div className="cron-columns">
        <TextField
          label="Schedule"
          hint={scheduleWords(schedule) ?? "Minute, hour, day of the month, month, day of the week."}
          value={schedule}
          spellCheck={false}
          autoComplete="off"
          data-testid="cron-schedule"
          onChange={(event) => onChange({ schedule: event.target.value })}
        />
        <TextField
          label="Time zone"
          list={zones}
          value={timezone}
          spellCheck={false}
          autoComplete="off"
          data-testid="cron-timezone"
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
