/** What a process that serves a project says to the one that watches over it. */
export type FromServing =
  /** The project can be served; nothing of the old one has been touched yet. */
  { type: "loaded"; folders: string[]; except: string[]; files: string[] } | { type: "ready"; port: number };

/** What it is told. */
export type ToServing =
  /** Listen, at the port where the one before did. */
  | { type: "serve"; port: number | null }
  /** Another one takes over: hand the runs back and end. */
  | { type: "leave" };

/** Set for a process that has somebody to talk to. */
export const WATCHED_OVER = "BERTH_DEV_WATCHED";

export function isMessage(value: unknown): value is FromServing & ToServing {
  return typeof value === "object" && value !== null && "type" in value;
}
