import type { Assistant } from "@berth/server";
import { useMemo } from "react";
import { useResource } from "../../data/index.ts";

/**
 * The assistants that the reader may talk to, those that the server made for its graphs first, then by age; read
 * again when the reader comes back, since they may have been changed. Without them the server still chooses its first
 * one, so a failure is no reason to stop.
 */
export function useAssistants(): readonly Assistant[] | undefined {
  const { data } = useResource<readonly Assistant[]>("/api/assistants", { onReturn: true });
  return useMemo(() => data?.toSorted((a, b) => Number(isOurs(b)) - Number(isOurs(a))), [data]);
}

const isOurs = ({ metadata }: Assistant) => metadata.created_by === "system";
