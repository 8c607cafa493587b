import { DEFAULT_WORKSPACE, plainText, type Session } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, pageOf, Uuid } from "../../http/index.ts";

export const ShownSession = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    name: Type.String(),
    deployment_id: nullable(Uuid),
    served: Type.Boolean({
      description: "The tracing project of the project that this Berth serves itself.",
    }),
    created_at: Instant,
    updated_at: Instant,
    url: Type.String({ description: "Its page." }),
  },
  { $id: "Session" },
);
export type ShownSession = Static<typeof ShownSession>;
export const SessionsPage = pageOf("SessionsList", ShownSession);
export type SessionsPage = Static<typeof SessionsPage>;

const sessionUrl = (id: string, publicUrl: string) => `${publicUrl}/console/sessions/${id}`;

/** @param served the name of the tracing project of what this Berth serves itself */
export function shownSession(session: Session, publicUrl: string, served: string | null): ShownSession {
  const { workspace_id, name, deployment_id } = session;
  const isHome = workspace_id === DEFAULT_WORKSPACE.id && deployment_id === null;
  return {
    id: session.id,
    tenant_id: workspace_id,
    name: plainText(name),
    deployment_id,
    served: isHome && name === served,
    created_at: isoTime(session.created_at),
    updated_at: isoTime(session.updated_at),
    url: sessionUrl(session.id, publicUrl),
  };
}
