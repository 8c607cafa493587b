import { BadRequest, Invalid, NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import type { Policy } from "../access/index.ts";
import { type Caller, json, type Operation, operation, parseInPieces, Uuid } from "../http/index.ts";
import { partsOf, readUnpacked } from "./body.ts";
import type { Ingest, IngestOutcome, RunsOwner } from "./ingest.ts";
import { type RunForm, uuid } from "./run-form.ts";
import { toldBy } from "./run-parts.ts";
import { fieldsOf } from "./run-usage.ts";

type TracedRunRouteDeps = {
  ingest: Ingest;
  maxBodyBytes: number;
  /** Where the paths begin. */
  prefix: "/langsmith" | "/langsmith/instances/:instance_id";
  access: Policy;
  /** Not in the API document. */
  unlisted: boolean;
  /** Whose runs these are, and for an instance where they go. @throws Unauthenticated */
  ownerOf(request: Request, caller: Caller | null): Promise<RunsOwner> | RunsOwner;
};

const tag = "Trace Ingest";
/** Runs in one request of JSON; what multipart may hold is limited by its parts. */
const MOST_RUNS = 2_000;
/** A run stands in a list of the object that a batch is. */
const RUN_DEPTH = 2;

const Run = Type.Object(
  { id: Uuid },
  { additionalProperties: true, description: "A run, in the form of the `langsmith` clients." },
);
const RunNews = Type.Object({}, { additionalProperties: true, description: "What is new of a run." });
const TakenForm = Type.Object({
  message: Type.String(),
  written: Type.Integer({ description: "Runs and feedback that Berth has stored now." }),
  dropped: Type.Integer({ description: "Runs and feedback that Berth could not store." }),
  reason: Type.Optional(Type.String({ description: "The reason for the first of these." })),
});
const accepted = { 202: { description: "Berth has stored it", schema: TakenForm } };

/** Takes runs in each of the forms in which clients send them. */
export function runRoutes(deps: TracedRunRouteDeps): Operation[] {
  return [createRun(deps), updateRun(deps), batch(deps), multipart(deps)];
}

const createRun = ({ ingest, ...at }: TracedRunRouteDeps) =>
  operation(
    {
      method: "POST",
      path: `${at.prefix}/runs`,
      access: at.access,
      unlisted: at.unlisted,
      bodyLimit: "process",
      tag,
      summary: "Report a run",
      verify: ({ request, caller }) => at.ownerOf(request, caller),
      body: Run,
      answers: { ...accepted, 400: "The run has no trace or project that Berth can find" },
    },
    async ({ body, verified: owner }) => answer(await ingest.runs(owner, [body])),
  );

const updateRun = ({ ingest, ...at }: TracedRunRouteDeps) =>
  operation(
    {
      method: "PATCH",
      path: `${at.prefix}/runs/:run_id`,
      access: at.access,
      unlisted: at.unlisted,
      bodyLimit: "process",
      tag,
      summary: "Report changes of a run",
      params: Type.Object({ run_id: Uuid }),
      verify: ({ request, caller }) => at.ownerOf(request, caller),
      body: RunNews,
      answers: { ...accepted, 404: "No such run, and the change does not name its trace" },
    },
    async ({ path, body, verified: owner }) => {
      const taken = await ingest.runs(owner, [{ ...body, id: path.run_id }]);
      if (taken.written === 0) throw new NotFound(taken.reason ?? "Run not found");
      return answer(taken);
    },
  );

const batch = ({ ingest, maxBodyBytes, ...at }: TracedRunRouteDeps) =>
  operation(
    {
      method: "POST",
      path: `${at.prefix}/runs/batch`,
      access: at.access,
      unlisted: at.unlisted,
      bodyLimit: "process",
      tag,
      summary: "Report many runs",
      description: `\`{"post": [run, …], "patch": [run, …]}\`, at most ${MOST_RUNS} of them. You may compress the body with gzip or zstd.`,
      verify: ({ request, caller }) => at.ownerOf(request, caller),
      rawBody: { mediaType: "application/json", description: "Runs that began, and news of runs." },
      answers: {
        ...accepted,
        400: "Berth cannot keep any of it",
        413: "The body is too large, compressed or not",
      },
    },
    async ({ request, verified: owner }) => {
      const bytes = await readUnpacked(request, maxBodyBytes);
      return answer(await ingest.runs(owner, await runsIn(bytes.toString("utf8"))));
    },
  );

const multipart = ({ ingest, maxBodyBytes, ...at }: TracedRunRouteDeps) =>
  operation(
    {
      method: "POST",
      path: `${at.prefix}/runs/multipart`,
      access: at.access,
      unlisted: at.unlisted,
      bodyLimit: "process",
      tag,
      summary: "Report many runs in parts",
      description:
        "Parts `post.<run id>`, `patch.<run id>`, each with `.inputs`, `.outputs`, `.events`, `.extra`, `.error` and `.serialized` beside it, and `feedback.<id>`. Berth keeps the names of the first 100 attachments of a run, not the attachments. You may compress the body with gzip or zstd.",
      verify: ({ request, caller }) => at.ownerOf(request, caller),
      rawBody: { mediaType: "multipart/form-data", description: "The parts, each of them JSON." },
      answers: {
        ...accepted,
        400: "Berth cannot keep any of it",
        413: "The body is too large, compressed or not",
      },
    },
    async ({ request, verified: owner }) => {
      const bytes = await readUnpacked(request, maxBodyBytes);
      const told = await toldBy(await partsOf(bytes, request.headers.get("content-type")));
      return answer(await ingest.take(owner, told));
    },
  );

/** A batch of which nothing could be kept is refused; of others the answer says how much. */
function answer(taken: IngestOutcome): Response {
  if (taken.written === 0 && taken.dropped > 0) throw new BadRequest(taken.reason ?? "Nothing of it fits");
  return json({ message: "Runs ingested", ...taken }, 202);
}

async function runsIn(text: string): Promise<RunForm[]> {
  const read = await parseInPieces(text, RUN_DEPTH);
  if ("fault" in read) throw new Invalid([read.fault]);
  const { post = [], patch = [] } = fieldsOf(read.value) ?? {};
  const runsOf = (list: unknown) =>
    Array.isArray(list) ? list.map((place) => pieceAt(read.pieces, place)) : list;
  const [begun, changed] = [forms(runsOf(post), "post"), forms(runsOf(patch), "patch")];
  if (!fieldsOf(read.value) || begun.length + changed.length > MOST_RUNS)
    throw new BadRequest(`Send an object with the lists post and patch, of at most ${MOST_RUNS} runs`);
  return [...begun, ...changed];
}

/** What is no object stands for itself. */
function pieceAt(pieces: readonly unknown[], place: unknown): unknown {
  const { piece } = fieldsOf(place) ?? {};
  return typeof piece === "number" ? pieces[piece] : place;
}

function forms(value: unknown, name: string): RunForm[] {
  const runs = Array.isArray(value) ? value.map(fieldsOf) : [undefined];
  if (value === null) return [];
  if (runs.some((run) => run === undefined || uuid(run.id) === undefined))
    throw new BadRequest(`${name} has to be a list of runs, each with an id that is a UUID`);
  return runs.filter((run) => run !== undefined);
}
