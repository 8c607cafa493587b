import { Invalid, type Issue, MUTED_FOREVER } from "@berth/store";
import { type TSchema, Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  authorOf,
  type Caller,
  Instant,
  json,
  momentOf,
  type Operation,
  oneOf,
  operation,
  optional,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { IssueDescription, IssueName } from "./issues.ts";
import { RESOLUTIONS, ShownIssue, shownIssue } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "issues" | "publicUrl" | "now">;

const tag = "Issues";
const params = Type.Object({ issue_id: Uuid });
const common = { 404: "No such issue", 409: "The issue was merged into another one" };

/** `/v1/issues/{id}/…`: what people say of issues; the engine respects it. */
export const judgingRoutes = (deps: Deps): Operation[] => [
  mergeIssue(deps),
  splitIssue(deps),
  closeIssue(deps),
  reopenIssue(deps),
  muteIssue(deps),
  unmuteIssue(deps),
];

/** The documentation that all of them share. */
const spec = <B extends TSchema>(
  deed: string,
  { summary, description, body }: { summary: string; description: string; body: B },
) => ({
  method: "POST" as const,
  path: `/v1/issues/:issue_id/${deed}`,
  access: issueApi,
  bodyLimit: "process" as const,
  tag,
  summary,
  description,
  params,
  body,
  answers: { 200: { description: "The issue as it is now", schema: ShownIssue }, ...common },
});

const shown = (issue: Issue, { publicUrl }: Deps, status = 200) =>
  json(shownIssue(issue, publicUrl()), status);

const who = (caller: Caller | null, { issue_id }: { issue_id: string }): [string, string] => [
  workspaceOf(caller),
  issue_id,
];

const mergeIssue = (deps: Deps) =>
  operation(
    {
      ...spec("merge", {
        summary: "Merge an issue into another one",
        description:
          "The other issue gets the traces and fingerprints, and this one is closed. The answer is the other issue.",
        body: Type.Object({ into: Uuid }),
      }),
      answers: {
        200: { description: "The remaining issue", schema: ShownIssue },
        400: "The two issues are the same, or belong to different tracing projects",
        ...common,
      },
    },
    async ({ path, body, caller }) =>
      shown(await deps.issues.merge(...who(caller, path), body.into.toLowerCase(), authorOf(caller)), deps),
  );

const splitIssue = (deps: Deps) =>
  operation(
    {
      ...spec("split", {
        summary: "Split an issue",
        description:
          "Makes a new issue from some of its `fingerprints`, or from some of its traces (`trace_ids`).",
        body: Type.Object({
          fingerprints: optional(Type.Array(Type.String(), { minItems: 1, maxItems: 1_000 })),
          trace_ids: optional(Type.Array(Uuid, { minItems: 1, maxItems: 1_000 })),
          name: optional(IssueName),
          description: optional(IssueDescription),
        }),
      }),
      answers: {
        201: { description: "The new issue", schema: ShownIssue },
        400: "The part does not belong to the issue, or is the whole issue",
        ...common,
      },
    },
    async ({ path, body: { fingerprints, trace_ids, name, description }, caller }) => {
      const texts = { name: name ?? undefined, description: description ?? undefined };
      const part = partOf(fingerprints ?? undefined, trace_ids ?? undefined);
      return shown(await deps.issues.split(...who(caller, path), part, texts, authorOf(caller)), deps, 201);
    },
  );

/** @throws Invalid neither is given, or both are */
function partOf(fingerprints: string[] | undefined, traceIds: string[] | undefined) {
  if (fingerprints && !traceIds) return { fingerprints };
  if (traceIds && !fingerprints) return { traceIds: traceIds.map((id) => id.toLowerCase()) };
  throw Invalid.body("fingerprints", "Name either fingerprints or trace_ids", fingerprints ?? null);
}

const closeIssue = (deps: Deps) =>
  operation(
    {
      ...spec("close", {
        summary: "Close an issue",
        description:
          "A `fixed` issue opens again when a trace shows it again: that is a regression. `wont_fix` and `not_an_issue` stay closed. With `in_next_revision`, only a trace of a revision that does not exist yet opens it again. Berth refuses that if the runs of the project name no revision.",
        body: Type.Object({
          resolution: oneOf(RESOLUTIONS),
          in_next_revision: optional(Type.Boolean()),
        }),
      }),
      answers: {
        200: { description: "The issue as it is now", schema: ShownIssue },
        400: "The runs of the project name no revision",
        ...common,
      },
    },
    async ({ path, body: { resolution, in_next_revision: next }, caller }) => {
      const inNextRevision = next ?? false;
      if (inNextRevision && resolution !== "fixed")
        throw Invalid.body("in_next_revision", "Only what is fixed is fixed in a revision", next);
      const how = { inNextRevision, by: authorOf(caller) };
      return shown(await deps.issues.close(...who(caller, path), resolution, how), deps);
    },
  );

const reopenIssue = (deps: Deps) =>
  operation(
    spec("reopen", {
      summary: "Open a closed issue again",
      description: "Berth sends no event about it.",
      body: Type.Optional(Type.Object({})),
    }),
    async ({ path, caller }) => shown(await deps.issues.reopen(...who(caller, path), authorOf(caller)), deps),
  );

const muteIssue = (deps: Deps) =>
  operation(
    spec("mute", {
      summary: "Mute an issue",
      description:
        "Berth still links traces to it, but sends no events about them. Without `until`, it stays muted until somebody unmutes it.",
      body: Type.Optional(Type.Object({ until: optional(Instant) })),
    }),
    async ({ path, body, caller }) => {
      const until = momentOf("body", "until", body?.until) ?? MUTED_FOREVER;
      if (until <= deps.now()) throw Invalid.body("until", "Input should be in the future", body?.until);
      return shown(await deps.issues.mute(...who(caller, path), until, authorOf(caller)), deps);
    },
  );

const unmuteIssue = (deps: Deps) =>
  operation(
    spec("unmute", {
      summary: "Unmute an issue",
      description: "Berth sends events about traces again, from now on.",
      body: Type.Optional(Type.Object({})),
    }),
    async ({ path, caller }) =>
      shown(await deps.issues.mute(...who(caller, path), null, authorOf(caller)), deps),
  );
