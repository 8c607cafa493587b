import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useToast } from "../ui/index.ts";
import { reasonOf } from "./request.ts";

export type Action = {
  /** Does it, and tells `done`, or why it failed; then everything that is shown is asked for again. */
  run<T>(act: () => Promise<T>, done?: string): Promise<T | undefined>;
  busy: boolean;
};

/** For a button that changes something on the server. */
export function useAction(): Action {
  const toast = useToast();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = useCallback(
    async <T>(act: () => Promise<T>, done?: string): Promise<T | undefined> => {
      setBusy(true);
      try {
        const result = await act();
        if (done !== undefined) toast({ text: done });
        return result;
      } catch (error) {
        toast({ text: reasonOf(error), look: "negative" });
      } finally {
        setBusy(false);
        void client.invalidateQueries({ predicate: ({ meta }) => meta?.once !== true });
      }
    },
    [toast, client],
  );
  return { run, busy };
}
