import { afterAll, beforeAll } from "bun:test";
import { type BerthProcess, type StartOptions, start } from "./berth-process.ts";

/** One Berth for the tests of the calling file: it starts before them and stops after them. */
export function servedBerth(options: StartOptions = {}): { readonly url: string; readonly data: string } {
  let berth: BerthProcess | undefined;
  // Longer than any condition is waited for, so that a failure says which one it was.
  beforeAll(async () => {
    berth = await start(options);
  });
  afterAll(async () => {
    const code = await berth?.stop();
    if (code !== undefined && code !== 0) throw new Error(`Berth ended with ${code}:\n${berth?.output()}`);
  });
  const started = (): BerthProcess => {
    if (!berth) throw new Error("Berth has not started yet");
    return berth;
  };
  return {
    get url() {
      return started().url;
    },
    /** Folder of its database. */
    get data() {
      return started().data;
    },
  };
}
