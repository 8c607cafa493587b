import { type Static, Type } from "@sinclair/typebox";
import { Uuid } from "../../http/index.ts";

export const ShownIntegration = Type.Object(
  { id: Uuid, installation_id: Type.Integer(), name: Type.String() },
  { $id: "Integration" },
);
export type ShownIntegration = Static<typeof ShownIntegration>;

export function shownIntegration({ id, installation_id, name }: ShownIntegration): ShownIntegration {
  return { id, installation_id, name };
}

export const ShownRepository = Type.Object({
  host_integration_id: Uuid,
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.String(),
  url: Type.String({ description: "For `source_config.repo_url`." }),
  default_branch: Type.String({ description: "For `source_revision_config.repo_ref`." }),
});
