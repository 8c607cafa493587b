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

/** Maximum number of attachments of a run whose names are kept. */
const MAX_ATTACHMENTS = 100;

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
      const run = runOf(runs, `${kind}.${id}`);
      addFields(run, await objectIn(name, bytes));
      run.id ??= id;
    } else if (FIELDS.has(field)) {
      // Not to be had of a trace anyway, and larger than everything else of it.
      if (field === "serialized") continue;
      const run = runOf(runs, `${kind}.${id}`);
      run.id = id;
      run[field] = await valueIn(name, bytes);
    } else throw new BadRequest(`Berth does not know a part of this name: ${name}`);
  }
  for (const { id, name } of attached) addAttachment(runs.get(`post.${id}`) ?? runs.get(`patch.${id}`), name);
  return { runs: [...runs.values()], feedback };
}

/** The run that parts of a name fill in. It is changed in place: a copy for each part would make a request quadratic. */
function runOf(runs: Map<string, RunForm>, key: string): RunForm {
  const run = runs.get(key) ?? {};
  runs.set(key, run);
  return run;
}

/** Adds the fields that a run does not have yet. */
function addFields(run: RunForm, fields: Record<string, unknown>): void {
  // An assignment to `__proto__` would set the prototype; no field of a run has this name.
  for (const [name, value] of Object.entries(fields))
    if (name !== "__proto__" && !Object.hasOwn(run, name)) run[name] = value;
}

function addAttachment(run: RunForm | undefined, name: string): void {
  if (!run) return;
  if (!Array.isArray(run.attachments)) run.attachments = [name];
  else if (run.attachments.length < MAX_ATTACHMENTS) run.attachments.push(name);
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
