import { BadRequest, Turns } from "@berth/store";
import { parseInTurns } from "../http/index.ts";
import type { Part } from "./body.ts";
import type { RunForm } from "./run-form.ts";
import { fieldsOf } from "./run-usage.ts";

/** What one request tells of: runs that began, runs that went on or ended, and what somebody thought of some. */
export type Told = { runs: RunForm[]; feedback: Record<string, unknown>[] };

/** `post.<run id>`, `patch.<run id>.outputs`, `feedback.<id>`, `attachment.<run id>.<name>` */
const partName = /^(post|patch|feedback|attachment)\.([\da-fA-F-]{36})(?:\.(.+))?$/;
const FIELDS = new Set(["inputs", "outputs", "events", "extra", "error", "serialized"]);

/**
 * Puts together what the parts of a request say. Attachments are not kept: the run says which there were.
 * @throws BadRequest a part that is none of these, or no JSON
 */
export async function toldBy(parts: readonly Part[]): Promise<Told> {
  const runs = new Map<string, RunForm>();
  const attached: { id: string; name: string }[] = [];
  const feedback: Told["feedback"] = [];
  const turns = new Turns();
  for (const { name, bytes } of parts) {
    await turns.rest();
    const [, kind, id, field] = partName.exec(name) ?? [];
    if (kind === undefined || id === undefined)
      throw new BadRequest(`Berth does not know a part of this name: ${name}`);
    if (kind === "attachment") attached.push({ id, name: (field ?? "").slice(0, 100) });
    else if (kind === "feedback") feedback.push({ id, ...(await objectIn(name, bytes)) });
    else if (field === undefined) {
      const key = `${kind}.${id}`;
      runs.set(key, { id, ...(await objectIn(name, bytes)), ...runs.get(key) });
    } else if (FIELDS.has(field)) {
      const key = `${kind}.${id}`;
      // Not to be had of a trace anyway, and larger than everything else of it.
      if (field === "serialized") continue;
      runs.set(key, { ...runs.get(key), id, [field]: await valueIn(name, bytes) });
    } else throw new BadRequest(`Berth does not know a part of this name: ${name}`);
  }
  for (const { id, name } of attached) {
    const run = runs.get(`post.${id}`) ?? runs.get(`patch.${id}`);
    if (run) run.attachments = [...(Array.isArray(run.attachments) ? run.attachments : []), name];
  }
  return { runs: [...runs.values()], feedback };
}

async function objectIn(name: string, bytes: Buffer): Promise<Record<string, unknown>> {
  const fields = fieldsOf(await valueIn(name, bytes));
  if (!fields) throw new BadRequest(`Part ${name} has to be a JSON object`);
  return fields;
}

async function valueIn(name: string, bytes: Buffer): Promise<unknown> {
  const read = await parseInTurns(bytes.toString("utf8"));
  if ("fault" in read) throw new BadRequest(`Part ${name} is not JSON: ${read.fault.msg}`);
  return read.value;
}
