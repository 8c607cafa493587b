import type { ThreadSummary } from "@berth/server";
import { type ReactNode, useCallback, useState } from "react";
import { deleteThread, renameThread } from "../api/index.ts";
import { Button, Dialog, useToast } from "../ui/index.ts";
import type { ThreadList } from "./use-threads.ts";

type ThreadActions = {
  rename: (thread: ThreadSummary, title: string) => void;
  askToDelete: (thread: ThreadSummary) => void;
  /** The question that is open, to be drawn somewhere. */
  dialog: ReactNode;
};

/** Renames and deletes conversations, the latter after a question. */
export function useThreadActions(
  { refresh, deleted }: ThreadList,
  onDeleted: (id: string) => void,
): ThreadActions {
  const toast = useToast();
  const [doomed, setDoomed] = useState<ThreadSummary>();
  const attempt = useCallback(
    async (work: Promise<void>, what: string) => {
      try {
        await work;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        toast({ text: `${what} failed: ${reason}`, look: "negative" });
      }
      refresh();
    },
    [toast, refresh],
  );
  const rename = (thread: ThreadSummary, title: string) => {
    attempt(renameThread(thread.id, title), "Renaming");
  };
  const remove = async ({ id }: ThreadSummary) => {
    setDoomed(undefined);
    await attempt(
      deleteThread(id).then(() => {
        deleted(id);
        onDeleted(id);
      }),
      "Deleting",
    );
  };
  const dialog = doomed && (
    <Dialog
      title="Delete this conversation?"
      onClose={() => setDoomed(undefined)}
      actions={
        <>
          <Button onClick={() => setDoomed(undefined)}>Keep it</Button>
          <Button look="danger" onClick={() => remove(doomed)} data-testid="confirm-delete" autoFocus>
            Delete
          </Button>
        </>
      }
    >
      <p>
        “{doomed.title}” goes with its messages, files and history, and what runs in it is stopped. This
        cannot be undone.
      </p>
    </Dialog>
  );
  return { rename, askToDelete: setDoomed, dialog };
}
