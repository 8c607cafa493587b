import { WORDS } from "../words.tsx";
/** What a message carries beside its text. */
export type Attachment =
  | { kind: "image"; url: string }
  | { kind: "text"; name: string; text: string }
  | { kind: "pdf"; name: string; data: string }
  | { kind: "other"; name: string };

/** A text file travels as text, since every model can read that: its name, then its content in a fence. */
function writeTextFile(name: string, content: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(content) + 1));
  return `Attached file: ${name.replace(/\s+/g, " ")}\n${fence}\n${content}\n${fence}`;
}

function longestRun(content: string): number {
  return (content.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** The file that such a text is; undefined for any other text. */
export function readTextFile(written: string): Attachment | undefined {
  const [, name, , content] = /^Attached file: (.+)\n(`{3,})\n([\s\S]*)\n\2$/.exec(written) ?? [];
  return name === undefined || content === undefined ? undefined : { kind: "text", name, text: content };
}

const MOST = 8;
const LARGEST = 5 * 1024 * 1024;
const PDF = "application/pdf";
const PICTURE = /^image\/(png|jpeg|gif|webp)$/;

type Added = { attachments: Attachment[]; wrong?: string };

/** What is attached after these files are added, and what is wrong with those that are left out. */
export async function addFiles(attached: Attachment[], files: File[]): Promise<Added> {
  const attachments = [...attached];
  let wrong: string | undefined;
  for (const file of files) {
    if (attachments.length >= MOST) {
      wrong = WORDS.tooManyFiles(MOST);
      break;
    }
    const read = await readFile(file);
    if (typeof read === "string") wrong = read;
    else attachments.push(read);
  }
  return { attachments, ...(wrong && { wrong }) };
}

async function readFile(file: File): Promise<Attachment | string> {
  if (file.size > LARGEST) return WORDS.fileTooLarge(file.name);
  if (file.type === PDF) return { kind: "pdf", name: file.name, data: base64Of(await dataUrl(file)) };
  if (PICTURE.test(file.type)) return { kind: "image", url: await dataUrl(file) };
  const text = await readText(file);
  if (text === undefined) return WORDS.wrongFileType(file.name);
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

export type ContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | PdfPart;

/** As LangChain names a file, in both languages; models that take PDFs get it in their own form. */
type PdfPart = {
  type: "file";
  source_type: "base64";
  mime_type: string;
  data: string;
  metadata: { name: string; filename: string };
};

const base64Of = (url: string): string => url.slice(url.indexOf(",") + 1);

const pdfPart = (name: string, data: string): PdfPart => ({
  ...{ type: "file", source_type: "base64", mime_type: PDF, data },
  metadata: { name, filename: name },
});

/** A message's content in the form that models understand: plain text where there is nothing else. */
export function contentOf(text: string, attachments: Attachment[]): string | ContentPart[] {
  const parts = attachments.flatMap((attachment): ContentPart[] => {
    if (attachment.kind === "image") return [{ type: "image_url", image_url: { url: attachment.url } }];
    if (attachment.kind === "pdf") return [pdfPart(attachment.name, attachment.data)];
    if (attachment.kind === "other") return [];
    return [{ type: "text", text: writeTextFile(attachment.name, attachment.text) }];
  });
  if (parts.length === 0) return text;
  return text ? [{ type: "text", text }, ...parts] : parts;
}
