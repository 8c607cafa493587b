/** What the console, chats and `docs/webhooks.md` say of an event. */
type DeclaredEvent = {
  /** When it is sent, in a sentence. */
  when: string;
  /** What is in `data`, in Markdown. */
  data: string;
};

const ofRevision = "`object`: [below](#revisions)";

/** Every type that a subscription can name. */
export const EVENTS = {
  "issue.created": { when: "An issue opens.", data: "`object`: the issue at that moment" },
  "issue.trace.added": {
    when: "A trace shows a known issue, or is one of those with which an issue opens.",
    data: "`object`, and `trace`. It has `comment` only if there is one, and `regression` only if the trace opened a fixed issue again",
  },
  "issue.agent_run.failed": {
    when: "A project could not be scanned for issues.",
    data: "`object`: `tenant_id`, `tenant_name`, `session_id`, `session_name`, `url`, `thread_id`, `run_id`, `status`, `error_message`, `occurred_at`; unknown fields are left out",
  },
  "deployment.revision.deployed": { when: "A revision of a deployment is live.", data: ofRevision },
  "deployment.revision.failed": {
    when: "A revision of a deployment could not be built or started, or keeps crashing.",
    data: ofRevision,
  },
  "deployment.revision.restarted": {
    when: "A serving revision ran out of memory or hung, and was restarted.",
    data: ofRevision,
  },
  "backup.failed": {
    when: "A scheduled backup fails: at the first failure, then at most once an hour. Only subscriptions of the default workspace get it.",
    data: "`object`: `name`, `error_message`, `failing_since`, `last_success_at` (or null), `url`, `occurred_at`",
  },
  "backup.recovered": {
    when: "A scheduled backup succeeds after one that failed. Only subscriptions of the default workspace get it.",
    data: "`object`: `name`, `bytes`, `left_out` (number of files), `failing_since`, `url`, `occurred_at`",
  },
} as const satisfies Record<string, DeclaredEvent>;

export type EventType = keyof typeof EVENTS;

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** What a subscription gets when it names no types. */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = ["issue.created"];
