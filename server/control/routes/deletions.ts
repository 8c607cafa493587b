import { DELETION_KINDS } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane } from "../../access/index.ts";
import {
  json,
  limitField,
  type Operation,
  offsetField,
  oneOf,
  operation,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { DeletionsPage, shownDeletion } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "deletions">;

/** `/v1/deletions`: who deleted what. */
export const deletionRoutes = ({ deletions }: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/deletions",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Keys",
      summary: "List deletions",
      description:
        "Who deleted which deployment, key, integration, tracing project, trace or webhook of the workspace, newest first. Berth keeps this for a year.",
      query: Type.Object({
        kind: Type.Optional(oneOf(DELETION_KINDS)),
        target_id: Type.Optional(Uuid),
        limit: limitField({ default: 20, maximum: 100 }),
        offset: offsetField(),
      }),
      answers: { 200: { description: "The page", schema: DeletionsPage } },
    },
    async ({ query: { kind, target_id, limit, offset }, caller }) => {
      const filter = { kind, targetId: target_id, withOrganization: caller?.scope === "organization" };
      const found = await deletions.list(workspaceOf(caller), filter, { limit, offset });
      return json({ resources: found.map(shownDeletion), offset: offset + found.length });
    },
  ),
];
