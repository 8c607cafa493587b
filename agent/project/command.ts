import { BadRequest } from "@berth/store";
import type { Command, Send } from "@langchain/langgraph";
import { isRecord } from "../record.ts";
import { spelledAnswer } from "./approvals.ts";
import type { LangGraphCopy } from "./langgraph-copy.ts";

/** A command as it comes over the wire; a field that is null or absent says nothing. */
export type WireCommand = { update?: unknown; resume?: unknown; goto?: unknown };

/**
 * The Command of a project's LangGraph that a wire command stands for: `goto` strings stay strings and
 * `{node, input}` becomes a Send; `update` is an object or a list of `[key, value]` pairs.
 * @throws BadRequest when `goto` or `update` is none of these
 */
export function buildCommand(copy: LangGraphCopy, { update, resume, goto }: WireCommand): Command {
  return new copy.Command({
    ...(isSaid(update) ? { update: asUpdate(update) } : {}),
    ...(isSaid(resume) ? { resume: spelledAnswer(resume) } : {}),
    ...(isSaid(goto) ? { goto: [goto].flat().map((target) => destination(copy, target)) } : {}),
  });
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function destination(copy: LangGraphCopy, target: unknown): string | Send {
  if (typeof target === "string") return target;
  if (isRecord(target) && typeof target.node === "string")
    // A Send makes commands and Sends of what looks like them in its arguments, which here are a client's data.
    return Object.assign(new copy.Send(target.node, null), { args: target.input });
  throw new BadRequest("command.goto must be a node's name, {node, input}, or a list of these");
}

function asUpdate(update: unknown): Record<string, unknown> | [string, unknown][] {
  if (Array.isArray(update)) return update.map(asPair);
  if (isRecord(update)) return update;
  throw new BadRequest("command.update must be an object or a list of [key, value] pairs");
}

function asPair(pair: unknown): [string, unknown] {
  if (Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string") return [pair[0], pair[1]];
  throw new BadRequest("command.update must be an object or a list of [key, value] pairs");
}
