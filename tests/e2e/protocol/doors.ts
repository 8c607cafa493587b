import { describe } from "bun:test";

/** The two sets of paths under which a thread's protocol is served. */
export type Door = {
  name: "agent" | "app";
  /** What the paths of threads begin with. */
  prefix: "" | "/api";
  /** The path of the event stream that its clients use. */
  stream(threadId: string): string;
};

export const AGENT: Door = {
  name: "agent",
  prefix: "",
  stream: (threadId) => `/threads/${threadId}/stream/events`,
};

export const APP: Door = {
  name: "app",
  prefix: "/api",
  stream: (threadId) => `/api/threads/${threadId}/stream`,
};

/** Defines the same tests once for each door. */
export function forEachDoor(define: (door: Door) => void): void {
  for (const door of [AGENT, APP]) describe(`${door.name} door`, () => define(door));
}
