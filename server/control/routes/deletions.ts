import { DELETION_KINDS } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { json } from "../../http/answer.ts";
import { Instant, limitField, nullable, offsetField, oneOf, Uuid } from "../../http/fields.ts";
import { isoTime } from "../../http/instant.ts";
import { type Operation, operation } from "../../http/operation.ts";
import { workspaceOf } from "./caller.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { AuthorSchema } from "./schemas.ts";

type Deps = Pick<ControlRoutesDeps, "deletions">;

const DeletionSchema = Type.Object(
  {
    id: Uuid,
    kind: oneOf(DELETION_KINDS),
    target_id: Type.String({ description: "The id of what was deleted." }),
    name: Type.String({ description: "What it was called." }),
    deleted_at: Instant,
    deleted_by: nullable(AuthorSchema),
  },
  { $id: "Deletion" },
);

const DeletionsList = Type.Object({ resources: Type.Array(DeletionSchema), offset: Type.Integer() });

/** `/v1/deletions`: who deleted what. */
export const deletionRoutes = ({ deletions }: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/deletions",
      tag: "Keys",
      summary: "List deletions",
      description:
        "Who deleted which deployment, key, integration, tracing project, trace or webhook of the workspace, the last first. Kept for a year.",
      query: Type.Object({
        kind: Type.Optional(oneOf(DELETION_KINDS)),
        target_id: Type.Optional(Uuid),
        limit: limitField({ default: 20, maximum: 100 }),
        offset: offsetField(),
      }),
      answers: { 200: { description: "The page", schema: DeletionsList } },
    },
    async ({ query: { kind, target_id, limit, offset }, caller }) => {
      const filter = { kind, targetId: target_id, withOrganization: caller?.scope === "organization" };
      const found = await deletions.list(workspaceOf(caller), filter, { limit, offset });
      const resources = found.map(({ at, workspace_id: _, ...deletion }) => ({
        ...deletion,
        deleted_at: isoTime(at),
      }));
      return json({ resources, offset: offset + resources.length });
    },
  ),
];
