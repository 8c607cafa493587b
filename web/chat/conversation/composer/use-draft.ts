import { type ClipboardEvent, type DragEvent, useCallback, useState } from "react";
import type { Attachment } from "../content/index.ts";
import { addFiles } from "./attachments.ts";

/** What is being written: the text and the files with it. `drop` makes an element take files that are let go on it. */
export function useDraft() {
  const [text, setText] = useState("");
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [wrong, setWrong] = useState<string>();
  const [dragging, setDragging] = useState(false);

  const add = useCallback(
    async (files: File[]) => {
      if (files.length === 0) return;
      const added = await addFiles(attachments, files);
      setAttachments(added.attachments);
      setWrong(added.wrong);
    },
    [attachments],
  );
  const remove = (place: number) => {
    setAttachments(attachments.filter((_, at) => at !== place));
    setWrong(undefined);
  };
  const clear = () => {
    setText("");
    setAttachments([]);
    setWrong(undefined);
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDragging(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
        setDragging(false);
    },
    onDrop: (event: DragEvent) => {
      setDragging(false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      add([...event.dataTransfer.files]);
    },
  };
  return { text, setText, attachments, wrong, dragging, add, remove, clear, onPaste, drop };
}

export type Draft = ReturnType<typeof useDraft>;
