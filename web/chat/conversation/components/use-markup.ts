import { useEffect, useState } from "react";
import { requestText } from "../../../api/request.ts";

type Loaded = { markup?: string; wrong?: string };

/** What loads a component of a graph, as the server gives it. */
export function useMarkup(graph: string | undefined, name: string): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({});
  useEffect(() => {
    if (graph === undefined) return;
    let isWanted = true;
    markupOf(graph, name).then(
      (markup) => isWanted && setLoaded({ markup }),
      (error: Error) => isWanted && setLoaded({ wrong: error.message }),
    );
    return () => {
      isWanted = false;
    };
  }, [graph, name]);
  return loaded;
}

const asked = new Map<string, Promise<string>>();

function markupOf(graph: string, name: string): Promise<string> {
  const key = JSON.stringify([graph, name]);
  const known =
    asked.get(key) ?? requestText(`/ui/${encodeURIComponent(graph)}`, { method: "POST", body: { name } });
  asked.set(key, known);
  // One that failed is asked for again by the next that needs it.
  known.catch(() => asked.delete(key));
  return known;
}
