import { resolve } from "node:path";
import type { SpanError } from "@berth/store";
import { encodeError } from "../wire.ts";
import type { SpanEnd } from "./run-trace.ts";
import { inSource } from "./source-places.ts";

/** What an error says beside its type and its message; the issue engine tells failures apart by it. */
type ErrorFacts = {
  error_stack?: string;
  error_code?: string;
  error_status?: number;
  /** What it was caused by, outermost first. */
  error_cause?: ErrorCause[];
  /** Set by the project: failures with the same one belong together. */
  error_fingerprint?: string;
};

type ErrorCause = { type: string; message: string; code?: string; stack?: string };

/** All of these together stay below the 16 KiB that a span keeps of its metadata. */
const LONGEST_STACK = 4_096;
const LONGEST_CAUSE_STACK = 2_048;
const LONGEST_CAUSE = 512;
const LONGEST_NAME = 200;
const MOST_CAUSES = 3;
/** Frames of Berth itself, when it runs from its sources. */
const OWN = ["agent", "server", "store"].map((part) => `${resolve(import.meta.dir, "../..", part)}/`);

/** Never throws, whatever was thrown. */
export function errorFacts(error: unknown): ErrorFacts {
  if (!isObject(error)) return {};
  try {
    const [stack, code, status] = [stackOf(error, LONGEST_STACK), codeOf(error), statusOf(error)];
    const causes = causesOf(error);
    const { fingerprint } = error;
    return {
      ...(stack !== undefined && { error_stack: stack }),
      ...(code !== undefined && { error_code: code }),
      ...(status !== undefined && { error_status: status }),
      ...(causes.length > 0 && { error_cause: causes }),
      ...(isName(fingerprint) && { error_fingerprint: fingerprint }),
    };
  } catch {
    // A getter of the project's.
    return {};
  }
}

/** An error as a log tells it: what it says, where it was thrown, and what caused it. */
export function errorText(error: unknown): string {
  const { type, message } = spanError(error);
  const { error_stack: stack, error_cause: causes = [] } = errorFacts(error);
  const parts = [{ type, message: message.slice(0, LONGEST_STACK), stack }, ...causes];
  return parts
    .map((part, at) => {
      const words = [part.type, part.message].filter(Boolean).join(": ");
      return [at === 0 ? words : `caused by ${words}`, ...(part.stack ? [part.stack] : [])].join("\n");
    })
    .join("\n");
}

function causesOf(error: Record<string, unknown>): ErrorCause[] {
  const found: ErrorCause[] = [];
  const seen = new Set<unknown>([error]);
  for (let at = causeOf(error); found.length < MOST_CAUSES && !seen.has(at); at = causeOf(at)) {
    seen.add(at);
    if (typeof at === "string") found.push({ type: "", message: at.slice(0, LONGEST_CAUSE) });
    if (!isObject(at)) break;
    const [code, stack] = [codeOf(at), stackOf(at, LONGEST_CAUSE_STACK)];
    found.push({
      type: String(at.name ?? "").slice(0, LONGEST_NAME),
      message: String(at.message ?? "").slice(0, LONGEST_CAUSE),
      ...(code !== undefined && { code }),
      ...(stack !== undefined && { stack }),
    });
  }
  return found;
}

/** Of several errors at once, the first. */
function causeOf(error: unknown): unknown {
  if (!isObject(error)) return undefined;
  return error.cause ?? (Array.isArray(error.errors) ? error.errors[0] : undefined);
}

function stackOf({ stack }: Record<string, unknown>, longest: number): string | undefined {
  if (typeof stack !== "string") return undefined;
  const frames = stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !OWN.some((own) => line.includes(own)));
  return frames.length === 0 ? undefined : frames.map(inSource).join("\n").slice(0, longest);
}

function codeOf({ code }: Record<string, unknown>): string | undefined {
  return (typeof code === "string" || typeof code === "number") && `${code}` !== ""
    ? String(code).slice(0, LONGEST_NAME)
    : undefined;
}

function statusOf({ status, statusCode, response }: Record<string, unknown>): number | undefined {
  const given = [status, statusCode, isObject(response) ? response.status : undefined];
  return given.find((one): one is number => typeof one === "number" && one >= 100 && one <= 599);
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_NAME;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The class of an error, also of one that never gave itself a name. */
export function spanError(error: unknown): SpanError {
  const { error: name, message } = encodeError(error);
  const made = error instanceof Error ? error.constructor.name : "";
  return { type: name === "Error" && made ? made : name, message };
}

/**
 * How whatever threw this ended. LangGraph throws also what is no failure: the question of an interrupt, and a
 * command for the graph above.
 */
export function endOf(error: unknown): SpanEnd {
  if (isBubbleUp(error)) return { status: error.name === "ParentCommand" ? "success" : "interrupted" };
  const what = spanError(error);
  if (what.type === "AbortError") return { status: "cancelled", error: what };
  return { status: "error", error: what, metadata: errorFacts(error) };
}

function isBubbleUp(error: unknown): error is Error & { is_bubble_up: true } {
  return error instanceof Error && "is_bubble_up" in error && error.is_bubble_up === true;
}
