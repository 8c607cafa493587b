import { useQuery } from "@tanstack/react-query";
import { requestText } from "../../../api/index.ts";

type Loaded = { markup: string | undefined; wrong: string | undefined };

/** What loads a component of a graph, as the server gives it: asked for once, and again where that failed. */
export function useMarkup(graph: string | undefined, name: string): Loaded {
  const { data, error } = useQuery({
    queryKey: ["", "/ui", graph, name],
    enabled: graph !== undefined,
    queryFn: () => requestText(`/ui/${encodeURIComponent(graph ?? "")}`, { method: "POST", body: { name } }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { once: true },
  });
  return { markup: data, wrong: error?.message };
}
