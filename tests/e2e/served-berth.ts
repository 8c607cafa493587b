import { afterAll, beforeAll } from "bun:test";
import { type BerthProcess, type StartOptions, start } from "./berth-process.ts";

/** One Berth for the tests of the calling file: it starts before them and stops after them. */
export function servedBerth(options: StartOptions = {}): { readonly url: string } {
  let berth: BerthProcess | undefined;
  beforeAll(async () => {
    berth = await start(options);
  }, 40_000);
  afterAll(async () => {
    await berth?.stop();
  }, 40_000);
  return {
    get url() {
      if (!berth) throw new Error("Berth has not started yet");
      return berth.url;
    },
  };
}
