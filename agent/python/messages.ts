// What goes between Berth and a worker (`docs/python.md` draws it). A job is one request of Berth's; on its behalf the
// worker may ask back, and tell what happens in it.

import type { LineFacts } from "./print.ts";

/** An error in a worker. Its stack is in the form of JavaScript's. */
export type PythonFault = {
  name: string;
  message: string;
  stack?: string;
  code?: string | number;
  status_code?: number;
  fingerprint?: string;
  /** Of what refuses a request. */
  headers?: Record<string, string>;
  cause?: PythonFault;
};

/** Something that happened inside a run: `of` says what. */
export type WorkerNote = { of: string } & Record<string, unknown>;

export type ToWorker =
  | { type: "call"; job: number; of: string; takes: Record<string, unknown>; window?: number }
  /** The reader of a stream has room for so many items more. */
  | { type: "more"; job: number; count: number }
  | { type: "cancel"; job: number }
  | { type: "ping" }
  /** The worker ends once background tasks of the project have ended, after this time at the latest. */
  | { type: "stop"; graceMs: number }
  | { type: "answer"; call: number; value?: unknown; fault?: { name: string; message: string } };

export type FromWorker =
  | { type: "answer"; job: number; value?: unknown; fault?: PythonFault }
  | { type: "item"; job: number; value: unknown }
  | ({ type: "told"; job: number } & WorkerNote)
  | { type: "ask"; call: number; job: number; of: string; takes: unknown }
  /** A line that the project printed. */
  | { type: "print"; text: string; facts: LineFacts; level?: "warn" }
  | { type: "pong" };
