import { isRecord } from "../messages/message.ts";

export type Decision = "approve" | "edit" | "reject";

/** A call that a person is asked about. */
export type Action = {
  name: string;
  args: Record<string, unknown>;
  description?: string;
  allowed: Decision[];
};

/**
 * What an interrupt wants to know. `review` is what LangChain's human-in-the-loop middleware asks; `approval` a
 * question about one call, as the approval template asks it; everything else is answered in words or data.
 */
export type Request =
  | { kind: "review"; actions: Action[] }
  | { kind: "approval"; question: string; action: Action }
  | { kind: "question"; question?: string; details?: unknown };

const ALL: Decision[] = ["approve", "edit", "reject"];

/** Reads the payload of an interrupt. */
export function readRequest(payload: unknown): Request {
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
    return { kind: "review", actions: requests.map((request) => readAction(request, configs)) };
  }
  const details = Object.entries(payload).filter(([name]) => name !== key);
  return { kind: "question", question, ...(details.length > 0 && { details: Object.fromEntries(details) }) };
}

function readAction(request: Record<string, unknown>, configs: Record<string, unknown>[]): Action {
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

/** What a person decided about a call, as the middleware wants to hear it. */
export type Verdict =
  | { type: "approve" }
  | { type: "edit"; edited_action: { name: string; args: Record<string, unknown> } }
  | { type: "reject"; message?: string };

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
