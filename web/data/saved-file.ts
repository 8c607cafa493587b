import { requestText } from "../api/index.ts";
import { tenantHeaders } from "./request.ts";

/**
 * Reads a file of the API, about the workspace that was chosen, and lets the browser save it.
 * @throws RequestFailed
 */
export async function saveFile(path: string, name: string): Promise<void> {
  saveText(await requestText(path, { headers: tenantHeaders() }), name);
}

/** Lets the browser save a text. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
