import type { ThreadFrame } from "../../../agent/events/thread-feed.ts";
import type { ThreadEvent } from "../../../agent/protocol/event.ts";
import { ThreadFold } from "../../../agent/protocol/run-fold.ts";

export const RUN = "01920000-0000-7000-8000-0000000000aa";

/** The frames of a run's log, numbered from 1 on. */
export function framesOf(frames: [name: string, payload: unknown][], run_id = RUN, first = 1): ThreadFrame[] {
  return frames.map(([name, payload], index) => ({
    seq: first + index,
    name,
    json: JSON.stringify(payload),
    run_id,
    at: 1_000 + index,
  }));
}

export type Told = {
  seq: number;
  event_id: string;
  method: string;
  params: { namespace: string[]; timestamp: number; node?: string; data: Record<string, unknown> };
};

/** What readers are told of these frames. */
export function foldOf(frames: ThreadFrame[]): ThreadEvent[] {
  const fold = new ThreadFold();
  return frames.flatMap((frame) => fold.add(frame));
}

export const told = (frames: ThreadFrame[]): Told[] =>
  foldOf(frames).map(({ json }) => JSON.parse(json) as Told);

export const dataOf = (events: Told[], method: string): Record<string, unknown>[] =>
  events.filter((event) => event.method === method).map(({ params }) => params.data);

/** `research started`, ` completed`: which namespace, by the names of its nodes, does what. */
export const lifecycleOf = (events: Told[]): string[] =>
  events
    .filter(({ method }) => method === "lifecycle")
    .map(
      ({ params }) => `${params.namespace.map((part) => part.split(":")[0]).join("/")} ${params.data.event}`,
    );

export const BEGIN: [string, unknown][] = [
  ["start", { graph_id: "chat", answers: [] }],
  ["metadata", { run_id: RUN, attempt: 1 }],
];

/** One token as the log has it. */
export function token(id: string, content: unknown, place: string, more: object = {}): [string, unknown] {
  const node = place.split("|").at(-1)?.split(":")[0];
  return [
    "messages",
    [
      { type: "AIMessageChunk", id, content, tool_call_chunks: [], ...more },
      { langgraph_checkpoint_ns: place, langgraph_node: node },
    ],
  ];
}
