import type { Session, SessionsPage } from "@berth/server";
import { useProject, useResource } from "../../data/index.ts";

/** The tracing project of the project that the screen looks at; `session` is null where there is none yet. */
export function useProjectSession() {
  const { at } = useProject();
  const query = at === null ? "served=true" : `deployment_id=${encodeURIComponent(at)}`;
  const { data, error, refresh } = useResource<SessionsPage>(`/v1/sessions?${query}`, { live: ["traces"] });
  const session: Session | null | undefined = data && (data.resources[0] ?? null);
  return { session, error, refresh };
}

/** Tracing projects of programs elsewhere, which are no deployment of this Berth. */
export function useForeignSessions(): readonly Session[] {
  const { data } = useResource<SessionsPage>("/v1/sessions?limit=100");
  return data?.resources.filter(({ deployment_id, served }) => deployment_id === null && !served) ?? [];
}
