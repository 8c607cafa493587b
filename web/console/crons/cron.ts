import { readJson } from "../ui/index.ts";

/** What a form of a cron holds. */
export type CronDraft = {
  assistant_id: string;
  schedule: string;
  timezone: string;
  input: string;
  thread_id: string;
  keep: boolean;
  end_time: string;
};

export const emptyDraft = (timezone: string): CronDraft => ({
  assistant_id: "",
  schedule: "0 9 * * *",
  timezone,
  input: '{\n  "messages": [{ "role": "user", "content": "" }]\n}',
  thread_id: "",
  keep: false,
  end_time: "",
});

/**
 * The request that makes a cron.
 * @throws SyntaxError the input is no JSON
 */
export function requestOf({ thread_id, keep, end_time, input, ...rest }: CronDraft) {
  const path = thread_id === "" ? "/runs/crons" : `/threads/${encodeURIComponent(thread_id)}/runs/crons`;
  const body = {
    ...rest,
    input: readJson(input) ?? null,
    ...(thread_id === "" && { on_run_completed: keep ? "keep" : "delete" }),
    // The field says a time of this browser's place.
    ...(end_time !== "" && { end_time: new Date(end_time).toISOString() }),
  };
  return { path, body };
}
