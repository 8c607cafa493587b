import { severityName } from "../issues/issue.ts";

/** The objects of `/v1/issue-webhooks` and `/v1/deliveries`, as the server sends them. */

export type Subscription = {
  id: string;
  /** Null: every project. */
  session_id: string | null;
  /** One of the two is there; the address of a chat is masked. */
  url?: string;
  channel?: string;
  severity_threshold: number;
  event_types: string[];
  /** Their values are masked. */
  headers: Record<string, string>;
  state: "active" | "failing" | "disabled";
  notice: string | null;
  created_at: string;
  updated_at: string;
  /** In the answers to create and to roll only. */
  secret?: string;
};

/** What a subscription did not get: how many, and when the first and the last were made. */
export type Missed = { dead: number; cancelled: number; since: string | null; until: string | null };

export type DeliveryState = "queued" | "leased" | "delivered" | "dead" | "cancelled";

export type Delivery = {
  id: string;
  subscription_id: string | null;
  url: string | null;
  type: string;
  request_id: string;
  session_id: string | null;
  issue_id: string | null;
  test: boolean;
  state: DeliveryState;
  reason: string | null;
  due_at: string;
  attempt_count: number;
  try_count: number;
  manual: boolean;
  created_at: string;
  updated_at: string;
};

export type Attempt = {
  number: number;
  manual: boolean;
  target: string;
  started_at: string;
  outcome: string | null;
  status: number | null;
  duration_ms: number | null;
  error: string | null;
  request_headers: Record<string, string> | null;
  response: string | null;
  late: boolean;
};

export type WholeDelivery = Delivery & { body: string; attempts: Attempt[] };

/** What stands for a value that is secret; sent back, it keeps the value. */
export const MASK = "********";

/** Every type of event that a subscription can name, and when it is sent. */
export const EVENT_TYPES = [
  { value: "issue.created", label: "issue.created", hint: "The engine opens an issue." },
  { value: "issue.trace.added", label: "issue.trace.added", hint: "A trace is linked to an issue." },
  {
    value: "issue.agent_run.failed",
    label: "issue.agent_run.failed",
    hint: "The engine could not scan a project.",
  },
  {
    value: "deployment.revision.deployed",
    label: "deployment.revision.deployed",
    hint: "A revision of a deployment is live.",
  },
  {
    value: "deployment.revision.failed",
    label: "deployment.revision.failed",
    hint: "A revision of a deployment could not be built or started, or ends again and again.",
  },
  {
    value: "deployment.revision.restarted",
    label: "deployment.revision.restarted",
    hint: "A revision that serves took too much memory or hung, and was started again.",
  },
] as const;

/** Where a subscription sends to. */
export const targetOf = ({ url, channel }: Pick<Subscription, "url" | "channel">): string =>
  url ?? channel ?? "";

/** Which issues a subscription asks for, in words. */
export function thresholdWords(threshold: number): string {
  if (threshold >= 3) return "Every severity";
  return threshold === 0 ? "Urgent only" : `${severityName(threshold)} and worse`;
}
