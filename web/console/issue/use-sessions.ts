import type { Session, SessionsPage } from "@berth/server";
import { useMemo } from "react";
import { useResource } from "../data/index.ts";

export type Sessions = { all: readonly Session[]; nameOf: (id: string | null) => string };

/** The tracing projects, for choosing one and for naming those that others tell of. */
export function useSessions(): Sessions {
  const { data } = useResource<SessionsPage>("/v1/sessions?limit=100", { live: ["deployments"] });
  return useMemo(() => {
    const all = data?.resources ?? [];
    const names = new Map(all.map(({ id, name }) => [id, name]));
    // One that is not among them was deleted, or is the hundred-and-first.
    const nameOf = (id: string | null) =>
      id === null ? "All projects" : (names.get(id) ?? (data ? "Another project" : ""));
    return { all, nameOf };
  }, [data]);
}
