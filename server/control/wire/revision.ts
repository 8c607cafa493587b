import { isFinal, type PublicRevision, REVISION_STATUSES } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, pageOf, Uuid } from "../../http/index.ts";
import { ShownAuthor } from "./author.ts";
import { ShownRevisionConfig, SOURCES, shownRevisionConfig } from "./source.ts";

export const ShownRevision = Type.Object(
  {
    id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    status: oneOf(REVISION_STATUSES),
    source: oneOf(SOURCES),
    source_revision_config: ShownRevisionConfig,
    deployment_id: Uuid,
    number: Type.Integer({
      description: "1, 2, 3 … within the deployment; 0 as long as the revision has no archive or image.",
    }),
    status_message: nullable(
      Type.String({ description: "Why it failed, or why Berth skipped or interrupted it." }),
    ),
    image_digest: nullable(
      Type.String({ description: "The registry's digest of the image that `image_uri` names." }),
    ),
    deployed_at: nullable(Instant),
    began_at: nullable(
      Type.String({ format: "date-time", description: "When Berth last began to work on it." }),
    ),
    ended_at: nullable(Type.String({ format: "date-time", description: "When that work ended." })),
    build_kept: Type.Boolean({ description: "Whether you can roll back to it." }),
    created_by: nullable(ShownAuthor),
    deployed_by: nullable(ShownAuthor),
    remote_reconciled: Type.Boolean(),
  },
  { $id: "Revision" },
);
export type ShownRevision = Static<typeof ShownRevision>;
export const RevisionsPage = pageOf("RevisionsList", ShownRevision);
export type RevisionsPage = Static<typeof RevisionsPage>;

export function shownRevision(revision: PublicRevision): ShownRevision {
  return {
    id: revision.id,
    created_at: isoTime(revision.created_at),
    updated_at: isoTime(revision.updated_at),
    status: revision.status,
    source: revision.source,
    source_revision_config: shownRevisionConfig(revision.config),
    deployment_id: revision.deployment_id,
    number: revision.number,
    status_message: revision.status_message,
    image_digest: revision.config.image_digest ?? null,
    deployed_at: isoTimeOrNull(revision.deployed_at),
    began_at: isoTimeOrNull(revision.began_at),
    ended_at: isFinal(revision.status) ? isoTime(endOf(revision)) : null,
    build_kept: revision.build_kept,
    created_by: revision.created_by,
    deployed_by: revision.deployed_by,
    remote_reconciled: revision.remote_reconciled,
  };
}

/** Becoming the one that serves is an end, too; that its state was unknown for a while is none. */
const endOf = ({ status, deployed_at, status_since }: PublicRevision): number =>
  status === "DEPLOYED" && deployed_at !== null ? deployed_at : status_since;
