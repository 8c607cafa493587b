import type { LogLine, LogQuery } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import {
  callOf,
  type Operation,
  oneOf,
  operation,
  optional,
  sse,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { LEVELS, shownLogLine } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { framesOf, LAST_SEEN, lastSeen } from "./followers.ts";
import { wanted } from "./logs.ts";
import { deploymentParams } from "./params.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "revisions" | "logs" | "logTail">;

/** How many are read at once. */
const PAGE = 500;

/** The log of a deployment as it is written. */
export const logFollowRoutes = (deps: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/logs",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Logs",
      summary: "Follow the log of a deployment",
      description:
        "Server-sent events, one `line` for each line, with the line's id. The stream begins with the oldest stored line; with `since` or `Last-Event-ID`, after the line with that id.",
      params: deploymentParams,
      query: Type.Object({
        type: oneOf(["build", "deploy"], { default: "deploy" }),
        revision_id: optional(Uuid),
        query: optional(Type.String({ description: "Part of the message, in any case." })),
        level: optional(oneOf(LEVELS, { "x-any-case": true })),
        since: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      }),
      headers: LAST_SEEN,
      answers: {
        200: { description: "The lines", mediaType: "text/event-stream" },
        404: "No such deployment, or revision of it",
      },
    },
    async (input) => {
      const { path, query, caller, request } = input;
      const filter = wanted({ query: query.query, level: query.level }, "query");
      const workspaceId = workspaceOf(caller);
      const { id: deploymentId } = await deps.deployments.get(workspaceId, path.deployment_id);
      const { revision_id } = query;
      const revisionId = revision_id
        ? (await deps.revisions.get(workspaceId, deploymentId, revision_id)).id
        : undefined;
      const since = lastSeen(request) ?? query.since ?? 0;
      const { admit } = callOf(request);
      const asked: Asked = { ...filter, deploymentId, revisionId, kind: query.type };
      const read = pageOf(deps, asked);
      return sse(input, (abort) => framesOf(deps.logTail, { since, abort, admit }, read));
    },
  ),
];

type Asked = Omit<LogQuery, "order" | "limit" | "cursor">;
/** Reads a page of the lines that were asked for. */
const pageOf =
  ({ logs }: Deps, asked: Asked) =>
  async (after: number) => {
    const newest = await logs.newest();
    const { lines, next } = await logs.read({ ...asked, order: "asc", limit: PAGE, cursor: String(after) });
    const isAll = lines.length < PAGE;
    // Where few lines match, those that do not are looked through once, not at each arrival again.
    const upTo = isAll ? Math.max(Number(next), newest) : Number(next);
    return { items: lines.map((line) => ({ seq: Number(line.id), text: frameOf(line) })), upTo, isAll };
  };

const frameOf = (line: LogLine): string =>
  `id: ${line.id}\nevent: line\ndata: ${JSON.stringify(shownLogLine(line))}\n\n`;
