/** How the live connection of an open thread is doing. */
export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  /** Lost and tried again, for ever. `since` is when it was lost (ms since the epoch). */
  | { state: "reconnecting"; since: number; attempt: number }
  /** The thread was deleted; nothing comes back. */
  | { state: "deleted" }
  /** The sign-in has ended. */
  | { state: "signed-out" };
