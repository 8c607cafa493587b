import { isRecord } from "../content.ts";

/** `approve` and `reject` are the middleware's; `accept`, `respond` and `ignore` Agent Inbox's; both may edit. */
export type Decision = "approve" | "accept" | "edit" | "reject" | "respond" | "ignore";

/** A call that a person is asked about. */
export type AskedAction = {
  name: string;
  args: Record<string, unknown>;
  description?: string;
  allowed: Decision[];
};

/**
 * What an interrupt wants to know. `review` is what LangChain's human-in-the-loop middleware asks, or a project in the
 * form of Agent Inbox; `approval` a question about one call, as the approval template asks it; everything else is
 * answered in words or data.
 */
export type Request =
  | { kind: "review"; form: "middleware" | "inbox"; actions: AskedAction[] }
  | { kind: "approval"; question: string; action: AskedAction }
  | { kind: "question"; question?: string; details?: unknown };

const ALL: Decision[] = ["approve", "edit", "reject"];
/** What Agent Inbox's `config` may allow, in the order of the buttons. */
const INBOX: [name: string, decision: Decision][] = [
  ["allow_accept", "accept"],
  ["allow_edit", "edit"],
  ["allow_respond", "respond"],
  ["allow_ignore", "ignore"],
];

/** Reads the payload of an interrupt. */
export function readRequest(payload: unknown): Request {
  const asked = inboxActions(payload);
  if (asked) return { kind: "review", form: "inbox", actions: asked };
  if (!isRecord(payload)) {
    const question = asText(payload);
    return { kind: "question", question, ...(!question && payload != null && { details: payload }) };
  }
  const key = ["question", "message", "prompt"].find((one) => asText(payload[one]));
  const question = key && asText(payload[key]);
  const tool = asText(payload.tool) ?? asText(payload.tool_name);
  if (tool && question) {
    const args = isRecord(payload.args) ? payload.args : {};
    return { kind: "approval", question, action: { name: tool, args, allowed: ["approve", "reject"] } };
  }
  const requests = records(payload.action_requests ?? payload.actionRequests);
  if (requests.length > 0) {
    const configs = records(payload.review_configs ?? payload.reviewConfigs);
    const actions = requests.map((request) => readAction(request, configs));
    return { kind: "review", form: "middleware", actions };
  }
  const details = Object.entries(payload).filter(([name]) => name !== key);
  return { kind: "question", question, ...(details.length > 0 && { details: Object.fromEntries(details) }) };
}

/** The questions of a payload in the form of Agent Inbox, one or a list; undefined where it is in another form. */
function inboxActions(payload: unknown): AskedAction[] | undefined {
  const questions = Array.isArray(payload) ? payload : [payload];
  const actions = questions.map(inboxAction);
  return actions.length > 0 && actions.every((action) => action !== undefined) ? actions : undefined;
}

function inboxAction(question: unknown): AskedAction | undefined {
  if (!isRecord(question) || !isRecord(question.action_request)) return undefined;
  const { action_request: request, config } = question;
  const name = asText(request.action);
  if (name === undefined) return undefined;
  const allowed = INBOX.filter(([key]) => isRecord(config) && config[key] === true);
  return {
    name,
    args: isRecord(request.args) ? request.args : {},
    description: asText(question.description),
    // Without a word of what is allowed, a person can at least answer.
    allowed: allowed.length > 0 ? allowed.map(([, decision]) => decision) : ["respond"],
  };
}

function readAction(request: Record<string, unknown>, configs: Record<string, unknown>[]): AskedAction {
  const name = asText(request.name) ?? asText(request.action_name) ?? "action";
  const config = configs.find((one) => (one.action_name ?? one.actionName ?? one.name) === name);
  const allowed = config?.allowed_decisions ?? config?.allowedDecisions;
  return {
    name,
    args: isRecord(request.args) ? request.args : isRecord(request.arguments) ? request.arguments : {},
    description: asText(request.description),
    allowed: Array.isArray(allowed) ? ALL.filter((decision) => allowed.includes(decision)) : ALL,
  };
}

type Args = Record<string, unknown>;

/** What a person decided about a call. */
export type ReviewVerdict =
  | { type: "approve" | "accept" | "ignore" }
  | { type: "edit"; edited_action: { name: string; args: Args } }
  | { type: "reject"; message?: string }
  | { type: "respond"; message: string };

/** Decisions in the shape that whoever asked expects: the middleware's, or Agent Inbox's list of `{type, args}`. */
export function reviewAnswer(
  { form, actions }: Extract<Request, { kind: "review" }>,
  verdicts: ReviewVerdict[],
) {
  if (form === "middleware") return { decisions: verdicts };
  return verdicts.map((verdict, place) => inboxAnswer(verdict, actions[place]));
}

function inboxAnswer(verdict: ReviewVerdict, action: AskedAction | undefined) {
  if (verdict.type === "respond") return { type: "response", args: verdict.message };
  if (verdict.type === "edit") {
    const { name, args } = verdict.edited_action;
    return { type: "edit", args: { action: name, args } };
  }
  // As Agent Inbox itself sends it: with what is accepted.
  if (verdict.type === "accept")
    return { type: "accept", args: { action: action?.name, args: action?.args ?? {} } };
  return { type: "ignore", args: null };
}

/** The answer in words or, where it is JSON of an object, a list, a number or a truth, as that value. */
export function readAnswer(written: string): unknown {
  if (!/^\s*([[{]|-?\d|true\b|false\b|null\b)/.test(written)) return written;
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
