import { type ClipboardEvent, type DragEvent, useCallback, useState } from "react";
import { type Attachment, writeTextFile } from "./content.ts";

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

export type MessageDraft = ReturnType<typeof useDraft>;

const MOST = 8;
const LARGEST = 5 * 1024 * 1024;
const PICTURE = /^image\/(png|jpeg|gif|webp)$/;

type Added = { attachments: Attachment[]; wrong?: string };

/** What is attached after these files are added, and what is wrong with those that are left out. */
export async function addFiles(attached: Attachment[], files: File[]): Promise<Added> {
  const attachments = [...attached];
  let wrong: string | undefined;
  for (const file of files) {
    if (attachments.length >= MOST) {
      wrong = `At most ${MOST} files go with a message.`;
      break;
    }
    const read = await readFile(file);
    if (typeof read === "string") wrong = read;
    else attachments.push(read);
  }
  return { attachments, ...(wrong && { wrong }) };
}

async function readFile(file: File): Promise<Attachment | string> {
  if (file.size > LARGEST) return `${file.name} is larger than 5 MB.`;
  if (PICTURE.test(file.type)) return { kind: "image", url: await dataUrl(file) };
  const text = await readText(file);
  if (text === undefined)
    return `${file.name} is neither a picture (PNG, JPEG, GIF, WebP) nor text, so a model could not read it.`;
  return { kind: "text", name: file.name, text };
}

/** The text of a file; undefined where its bytes are no text. */
async function readText(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function dataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}

export type ContentPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** A message's content in the form that models understand: plain text where there is nothing else. */
export function contentOf(text: string, attachments: Attachment[]): string | ContentPart[] {
  const parts = attachments.flatMap((attachment): ContentPart[] => {
    if (attachment.kind === "image") return [{ type: "image_url", image_url: { url: attachment.url } }];
    if (attachment.kind === "other") return [];
    return [{ type: "text", text: writeTextFile(attachment.name, attachment.text) }];
  });
  if (parts.length === 0) return text;
  return text ? [{ type: "text", text }, ...parts] : parts;
}
