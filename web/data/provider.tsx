import { focusManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { RequestFailed } from "./request.ts";

/** A refused request stays refused; one that did not arrive may do so the next time. */
const retry = (count: number, error: unknown) =>
  count < 2 && error instanceof RequestFailed && (error.status === 0 || error.status >= 502);

const newClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: 0,
        networkMode: "always",
      },
    },
  });

/** Who comes back from another window has not hidden this one. */
function watchReturns(): void {
  focusManager.setEventListener((onFocus) => {
    const look = () => onFocus();
    window.addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  });
}

/** What is asked for inside of it is kept in it, and goes with it: what one person saw is nobody else's. */
export function DataProvider({ children }: { children: ReactNode }) {
  const [client] = useState(newClient);
  useEffect(watchReturns, []);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
