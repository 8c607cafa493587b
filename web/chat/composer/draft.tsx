import {
  type ClipboardEvent,
  createContext,
  type DragEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { recall, remember, SIGNED_OUT } from "../../api/index.ts";
import { type Attachment, addFiles } from "./attachment.ts";

/**
 * What is being written: the text and the files with it. It outlives the composer that it is written in: another one
 * takes its place when the conversation's code has been loaded.
 */
export type MessageDraft = ReturnType<typeof useNewDraft> & {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Where the caret was in a composer that has gone, if the reader was writing there. */
  caret: RefObject<[start: number, end: number] | undefined>;
  /** Puts a text into the field, as if it had been written there. */
  pick: (text: string) => void;
  /** Lets the person choose files that go with the message. */
  choose: () => void;
};

const DraftContext = createContext<MessageDraft | undefined>(undefined);

/** Holds what is written in one conversation, which has a name under which this browser remembers it. */
export function DraftProvider({ name, children }: { name: string; children: ReactNode }) {
  const draft = useNewDraft(name);
  const field = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<[number, number]>(undefined);
  // Who opens a conversation wants to write; on a touch screen the keyboard would cover it.
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  const pick = (text: string) => {
    draft.setText(text);
    field.current?.focus();
  };
  const files = useRef<HTMLInputElement>(null);
  const choose = () => files.current?.click();
  return (
    <DraftContext value={{ ...draft, field, caret, pick, choose }}>
      {children}
      <FileInput ref={files} onFiles={draft.add} />
    </DraftContext>
  );
}

type FileInputProps = { ref: RefObject<HTMLInputElement | null>; onFiles: (files: File[]) => void };

/** Not in the composer: files may be chosen while another one takes its place, and would be lost. */
function FileInput({ ref, onFiles }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      data-testid="attach-input"
      onChange={(event) => {
        onFiles([...(event.target.files ?? [])]);
        event.target.value = "";
      }}
    />
  );
}

/** What is being written in the conversation that this component is drawn inside of. */
export function useDraft(): MessageDraft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error("useDraft() is for components inside of <DraftProvider>");
  return draft;
}

function useNewDraft(name: string) {
  const { text, setText, sent } = useKeptText(name);
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [wrong, setWrong] = useState<string>();
  /** It was sent before there was anything to send it with. */
  const [isDue, setDue] = useState(false);

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
    sent();
    setAttachments([]);
    setWrong(undefined);
    setDue(false);
  };
  return { ...{ text, setText, attachments, wrong, add, remove, clear, isDue, setDue }, ...useDrop(add) };
}

/** So long a message that was just sent may turn out to be refused, because the sign-in had ended. */
const REFUSED_WITHIN_MS = 20_000;

/**
 * A text that outlives the page, and a sign-in that ends: what was just sent is a draft again then, since it did not
 * arrive.
 */
function useKeptText(name: string) {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => recall<string>(key) ?? "");
  const last = useRef<{ text: string; at: number }>(undefined);
  useEffect(() => remember(key, text === "" ? undefined : text), [key, text]);
  useEffect(() => {
    const onSignedOut = () => {
      const { text: lost, at } = last.current ?? { text: "", at: 0 };
      if (lost !== "" && performance.now() - at < REFUSED_WITHIN_MS) remember(key, lost);
    };
    window.addEventListener(SIGNED_OUT, onSignedOut);
    return () => window.removeEventListener(SIGNED_OUT, onSignedOut);
  }, [key]);
  const sent = () => {
    last.current = { text, at: performance.now() };
    setText("");
  };
  return { text, setText, sent };
}

/** Files come by the clipboard, and onto the element that gets `drop`. */
function useDrop(add: (files: File[]) => void) {
  const [dragging, setDragging] = useState(false);
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
  return { dragging, onPaste, drop };
}
