import { useEffect, useState } from "react";
import { type Assistant, listAssistants } from "../../api/index.ts";

/** The assistants of this server; read again when the reader comes back, since they may have been changed. */
export function useAssistants(): readonly Assistant[] | undefined {
  const [assistants, setAssistants] = useState<readonly Assistant[]>();
  useEffect(() => {
    // Without the list the server still chooses its first assistant, so a failure is no reason to stop.
    const read = () => listAssistants().then(setAssistants, () => {});
    read();
    window.addEventListener("focus", read);
    return () => window.removeEventListener("focus", read);
  }, []);
  return assistants;
}
