import type { SignIn } from "@berth/server";
import { base, request, sessionPath } from "../api/index.ts";
import { backfillOf } from "./backfill.ts";
import { ThreadAdapter, type ThreadAdapterOptions } from "./thread-adapter.ts";
import { ThreadSocket } from "./thread-socket.ts";

/** A thread that this tab shows: its live connection, and what the SDK talks through. */
export type OpenThread = { socket: ThreadSocket; adapter: ThreadAdapter };

type OpenThreadOptions = Pick<ThreadAdapterOptions, "threadId" | "settings" | "isDraft" | "onMissing">;

/** Prepares a thread's connection; `socket.start()` makes it. */
export function openThread(options: OpenThreadOptions): OpenThread {
  const server = window.location.origin + base;
  const address = `${server.replace(/^http/, "ws")}/api/threads/${options.threadId}/stream`;
  const open = () => new WebSocket(address);
  const signedOut = async () => {
    const { required, signed_in } = await request<SignIn>(sessionPath());
    return required && !signed_in;
  };
  const socket = new ThreadSocket({ open, signedOut });
  const backfill = backfillOf(options.threadId, open);
  return { socket, adapter: new ThreadAdapter({ ...options, server, socket, backfill }) };
}
