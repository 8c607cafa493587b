import { type AnyStream, useStreamContext } from "@langchain/react";
import { useCallback, useRef } from "react";
import { useConversation } from "../conversation-context.ts";
import type { StreamedState } from "../timeline/index.ts";
import { readRequest } from "./payload.ts";

/** Answers what the run waits for. `inWords` is the question that words alone answer, if it is the only one. */
export function useAnswering() {
  const stream = useStreamContext<StreamedState>();
  const { waiting } = useConversation();
  const latest = useRef<Pick<AnyStream, "respond" | "respondAll">>(stream);
  latest.current = stream;
  const answer = useCallback(async (answers: Record<string, unknown>) => {
    const [only, ...more] = Object.entries(answers);
    if (only && more.length === 0) await latest.current.respond(only[1], { interruptId: only[0] });
    else await latest.current.respondAll(answers);
  }, []);
  const [only, ...more] = waiting ? stream.interrupts : [];
  const isWords = only !== undefined && more.length === 0 && readRequest(only.value).kind === "question";
  return { answer, inWords: isWords ? only.id : undefined };
}
