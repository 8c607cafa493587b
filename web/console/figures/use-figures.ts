import type { Assistant, RunFigures, Session, SessionsPage } from "@berth/server";
import { useMemo } from "react";
import { type AddressQuery, useResource } from "../data/index.ts";
import { GROUPS, NAMELESS, RANGES, WORDS } from "./words.ts";

export type FigureValues = RunFigures["total"];
export type FiguresGroup = RunFigures["groups"][number];
export type GroupKind = (typeof GROUPS)[number]["value"];

/** What narrows the figures, by its name in the address and in the API. */
export const NARROWED = ["session_id", "revision_id", "assistant_id", "model"] as const;

/** A short range changes while one looks. */
const SOON_MS = 10_000;
const LATER_MS = 60_000;

/** What the address asks for. */
export function figuresAsked(query: AddressQuery) {
  const range = RANGES.find(({ value }) => value === query.get("range"))?.value ?? "24h";
  const by = GROUPS.find(({ value }) => value === query.get("by"))?.value ?? "session";
  const search = new URLSearchParams({ range, group_by: by });
  for (const name of NARROWED) {
    const value = query.get(name);
    if (value !== "") search.set(name, value);
  }
  return { range, by, search: search.toString() };
}

export function useFigures(search: string, range: string) {
  return useResource<RunFigures>(`/v1/figures?${search}`, {
    everyMs: range === "1h" ? SOON_MS : LATER_MS,
    onReturn: true,
  });
}

/** The tracing projects: what is served here, deployments, and programs elsewhere. */
export function useSessions(): readonly Session[] {
  return useResource<SessionsPage>("/v1/sessions?limit=100", { live: ["deployments"] }).data?.resources ?? [];
}

/** What groups are called: the assistants of a deployment are in its own database, and asked for there. */
export function useGroupNames(by: GroupKind, sessions: readonly Session[]) {
  const deployments = new Set(sessions.map(({ deployment_id }) => deployment_id).filter((id) => id !== null));
  const [only] = deployments.size === 1 ? deployments : [];
  const path = by === "assistant" && only ? `/d/${only}/assistants/search` : null;
  const { data } = useResource<Assistant[]>(path, { body: { limit: 100 } });
  return useMemo(() => {
    const known = new Map(data?.map(({ assistant_id, name }) => [assistant_id, name]));
    return (group: FiguresGroup) => group.name ?? known.get(group.key) ?? shortName(group.key, by);
  }, [data, by]);
}

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;

function shortName(key: string, by: GroupKind): string {
  if (key === "") return NAMELESS[by];
  if (key === "other" && by === "assistant") return WORDS.others;
  return UUID.test(key) ? `…${key.slice(-12)}` : key;
}
