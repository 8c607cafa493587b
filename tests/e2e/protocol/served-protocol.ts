import { afterAll } from "bun:test";
import { join } from "node:path";
import type { StartOptions } from "../berth-process.ts";
import { servedBerth } from "../served-berth.ts";
import { ProtocolThreads } from "./protocol-thread.ts";

/** Scripted graphs, one for each thing that the protocol can tell. */
export const PROTOCOL_PROJECT = join(import.meta.dir, "project");

/** A Berth with the scripted graphs for the tests of the calling file, and its threads. */
export function servedProtocol(options: StartOptions = {}) {
  const threads: { made?: ProtocolThreads } = {};
  // Registered first: streams are left before the process is asked to stop.
  afterAll(() => threads.made?.close());
  const berth = servedBerth({ project: PROTOCOL_PROJECT, ...options });
  threads.made = new ProtocolThreads(berth);
  return { berth, threads: threads.made };
}
