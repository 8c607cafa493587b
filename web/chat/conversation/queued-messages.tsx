import { useStreamContext, useSubmissionQueue } from "@langchain/react";
import { Clock, X } from "lucide-react";
import { IconButton } from "../../ui/index.ts";
import { readMessages } from "./messages/message.ts";
import type { ThreadState } from "./timeline/use-shown.ts";

/** Messages that were sent while an answer was being written. They go out when it is finished. */
export function QueuedMessages() {
  const { entries, cancel } = useSubmissionQueue(useStreamContext<ThreadState>());
  if (entries.length === 0) return null;
  return (
    <ul className="queued" aria-label="Messages that wait">
      {entries.map(({ id, values }) => (
        <li key={id} data-testid="queued-message">
          <Clock aria-hidden />
          <span>{readMessages(values?.messages)[0]?.text || "Message"}</span>
          <IconButton label="Do not send it" size="small" onClick={() => cancel(id)}>
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
