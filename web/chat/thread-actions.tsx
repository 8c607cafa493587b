import type { ThreadSummary } from "@berth/server";
import { type ReactNode, useCallback, useState } from "react";
import { reasonOf } from "../api/index.ts";
import { deleteThread, renameThread, useSource } from "../source/index.ts";
import { Button, Dialog, useToast } from "../ui/index.ts";
import type { ThreadList } from "./use-threads.ts";
import { WORDS } from "./words.tsx";

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
  const source = useSource();
  const [doomed, setDoomed] = useState<ThreadSummary>();
  const attempt = useCallback(
    async (work: Promise<void>, what: string) => {
      try {
        await work;
      } catch (error) {
        const reason = reasonOf(error);
        toast({ text: WORDS.actionFailed(what, reason), look: "negative" });
      }
      refresh();
    },
    [toast, refresh],
  );
  const rename = (thread: ThreadSummary, title: string) => {
    attempt(renameThread(source, thread.id, title), WORDS.renaming);
  };
  const remove = async ({ id }: ThreadSummary) => {
    setDoomed(undefined);
    await attempt(
      deleteThread(source, id).then(() => {
        deleted(id);
        onDeleted(id);
      }),
      WORDS.deleting,
    );
  };
  const dialog = doomed && (
    <DeleteQuestion
      title={doomed.title}
      onKeep={() => setDoomed(undefined)}
      onDelete={() => remove(doomed)}
    />
  );
  return { rename, askToDelete: setDoomed, dialog };
}

type DeleteQuestionProps = { title: string; onKeep: () => void; onDelete: () => void };

function DeleteQuestion({ title, onKeep, onDelete }: DeleteQuestionProps) {
  return (
    <Dialog
      title={WORDS.deleteThisConversation}
      onClose={onKeep}
      actions={
        <>
          <Button onClick={onKeep}>{WORDS.cancelDelete}</Button>
          <Button look="danger" onClick={onDelete} data-testid="confirm-delete" autoFocus>
            {WORDS.delete}
          </Button>
        </>
      }
    >
      <p>{WORDS.deletesWithItsMessages(title)}</p>
    </Dialog>
  );
}
