import { BadRequest, Conflict, type Session, type Sessions } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { traceIngest } from "../access/index.ts";
import {
  Instant,
  isoTime,
  json,
  type Operation,
  offsetField,
  operation,
  Uuid,
  workspaceOf,
} from "../http/index.ts";

const tag = "Trace Ingest";

const Project = Type.Object({
  id: Uuid,
  name: Type.String(),
  tenant_id: Uuid,
  start_time: Instant,
  last_run_start_time: Instant,
  end_time: Type.Null(),
  description: Type.Null(),
  extra: Type.Null(),
  reference_dataset_id: Type.Null(),
});

/** The look-ups of tracing projects that clients do before and while they send. */
export function sessionRoutes(sessions: Sessions): Operation[] {
  return [list(sessions), read(sessions), create(sessions)];
}

const list = (sessions: Sessions) =>
  operation(
    {
      method: "GET",
      path: "/langsmith/sessions",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "List projects",
      query: Type.Object({
        name: Type.Optional(Type.String({ maxLength: 500 })),
        name_contains: Type.Optional(Type.String({ maxLength: 500 })),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
        offset: offsetField(),
      }),
      answers: { 200: { description: "The projects, newest first", schema: Type.Array(Project) } },
    },
    async ({ query: { name, name_contains: nameContains, limit, offset }, caller }) => {
      const found = await sessions.list(workspaceOf(caller), { name, nameContains }, { limit, offset });
      return json(found.map(projectOf));
    },
  );

const read = (sessions: Sessions) =>
  operation(
    {
      method: "GET",
      path: "/langsmith/sessions/:session_id",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "Read a project",
      params: Type.Object({ session_id: Uuid }),
      answers: { 200: { description: "The project", schema: Project }, 404: "No such project" },
    },
    async ({ path, caller }) => json(projectOf(await sessions.get(workspaceOf(caller), path.session_id))),
  );

const create = (sessions: Sessions) =>
  operation(
    {
      method: "POST",
      path: "/langsmith/sessions",
      access: traceIngest,
      bodyLimit: "process",
      tag,
      summary: "Create a project",
      description: "Runs that name a project also create it.",
      query: Type.Object({ upsert: Type.Boolean({ default: false }) }),
      body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
      answers: {
        200: { description: "The project", schema: Project },
        400: "The name is blank",
        409: "The name is taken",
      },
    },
    async ({ body, query: { upsert }, caller }) => {
      const name = body.name.trim();
      if (name === "") throw new BadRequest("A project needs a name");
      const workspaceId = workspaceOf(caller);
      const [there] = await sessions.list(workspaceId, { name }, { limit: 1, offset: 0 });
      if (there && !upsert) throw new Conflict("A project of this name exists already");
      return json(projectOf(await sessions.ensure(workspaceId, name)));
    },
  );

/** In the clients' words: their projects are sessions of a tenant. */
function projectOf({ id, name, workspace_id, created_at, updated_at }: Session) {
  return {
    id,
    name,
    tenant_id: workspace_id,
    start_time: isoTime(created_at),
    last_run_start_time: isoTime(updated_at),
    end_time: null,
    description: null,
    extra: null,
    reference_dataset_id: null,
  };
}
