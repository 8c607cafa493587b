import type { FromExecutor, Spawned, ToExecutor } from "@berth/agent";
import { type ThreadPlace, type ThreadStart, UP } from "./thread.ts";

/** Starts a thread that runs graphs; it is this same program, which looks where it is. */
export function spawnThread(place: ThreadPlace): Spawned {
  const worker = new Worker(Bun.main);
  let hear: ((messages: FromExecutor[]) => void) | undefined;
  let early: ToExecutor[][] | undefined = [];
  worker.onmessage = ({ data }: MessageEvent<typeof UP | FromExecutor[]>) => {
    if (data !== UP) return hear?.(data);
    worker.postMessage({ place } satisfies ThreadStart);
    for (const messages of early ?? []) worker.postMessage(messages);
    early = undefined;
  };
  return {
    port: {
      send: (messages) => {
        if (early) early.push(messages);
        else worker.postMessage(messages);
      },
      listen: (listener) => {
        hear = listener;
      },
    },
    gone: (told) => {
      let error: string | undefined;
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        error ??= event.message;
      });
      worker.addEventListener("close", (event) => told(endOf(error, event)));
    },
    end: () => worker.terminate(),
  };
}

function endOf(error: string | undefined, event: Event): string {
  if (error !== undefined) return `Its thread ended with an error: ${error.split("\n").at(-1)}`;
  return `Its thread ended (code ${"code" in event ? event.code : "unknown"})`;
}
