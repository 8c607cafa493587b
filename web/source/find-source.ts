import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { RequestFailed, recall, remember, request } from "../api/index.ts";
import { agentServer } from "./agent-server.ts";
import type { ChatSource } from "./source.ts";
import { threadApp } from "./thread-app.ts";

const SOURCES = { "thread app": threadApp, "agent server": agentServer };
type Kind = keyof typeof SOURCES;

const REMEMBERED = "source";
/** How often to ask again while the deployment cannot say: it may be starting. */
const AGAIN_MS = 3000;
/** After so many tries without an answer, Berth's thread app is assumed. Not at once: what is sent to a wrong source is lost. */
const TRIES = 3;
/** What a server says of a path that it does not have. */
const NOT_THERE = new Set([404, 405]);

/**
 * What the chat gets its conversations from; nothing as long as that is not known. Berth's own chat always has
 * Berth's thread app. The image of a deployment may be any server's, and this is found out by asking it.
 */
export function useFoundSource(isDeployment: boolean): ChatSource | undefined {
  const { data, errorUpdateCount } = useQuery({
    queryKey: ["", "source"],
    enabled: isDeployment,
    queryFn: ({ signal }) => kindHere(signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.error === null ? false : AGAIN_MS),
    meta: { once: true },
  });
  useEffect(() => {
    if (data) remember(REMEMBERED, data === "thread app" ? undefined : data);
  }, [data]);
  if (!isDeployment) return threadApp;
  const known = data ?? recall<Kind>(REMEMBERED) ?? (errorUpdateCount >= TRIES ? "thread app" : undefined);
  return known && SOURCES[known];
}

async function kindHere(signal: AbortSignal): Promise<Kind> {
  try {
    const threads = await request<unknown>(`${threadApp.threadsAt}?limit=1`, { signal });
    return Array.isArray(threads) ? "thread app" : "agent server";
  } catch (error) {
    // A page that answers every path with its own document has no thread app either.
    if (error instanceof SyntaxError) return "agent server";
    if (error instanceof RequestFailed && NOT_THERE.has(error.status)) return "agent server";
    throw error;
  }
}
