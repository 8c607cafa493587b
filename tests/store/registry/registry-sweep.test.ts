import { expect, test } from "bun:test";
import { ArrivingBlobs, PushedImages, RegistrySweep } from "@berth/store";
import { everyStore } from "../every-store.ts";

const HOUR = 3_600_000;
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

everyStore("what no image needs", (open) => {
  test("goes: what is left of a deployment that is gone, and a piece that was cut off", async () => {
    const db = await open();
    const clock = { ms: 1_790_000_000_000, now: () => clock.ms };
    const arriving = new ArrivingBlobs(db, clock, 1_000);
    const images = new PushedImages(db, clock, 1_000);
    const sweep = new RegistrySweep(db, clock);
    const repository = { workspaceId: "w", deploymentId: "nobody's", image: "app" };
    const upload = await arriving.begin(repository);
    const name = await arriving.announce();
    const sent = await arriving.add(repository, upload, { name, bytes: 7 });
    await arriving.finish(repository, sent, digest("a"));
    expect(await images.blob(repository, digest("a"))).toMatchObject({
      bytes: 7,
      pieces: [{ name, bytes: 7 }],
    });
    const cutOff = await arriving.announce();
    // Its deployment is not there: all of it goes at once, but for a piece that may still arrive.
    expect(await sweep.once()).toEqual([name]);
    await sweep.forget([name]);
    expect(await sweep.once()).toEqual([]);
    await expect(images.blob(repository, digest("a"))).rejects.toThrow("no blob");
    clock.ms += 25 * HOUR;
    expect(await sweep.once()).toEqual([cutOff]);
    // Nobody acknowledges what is being removed.
    const late = await arriving.begin(repository);
    await expect(arriving.add(repository, late, { name: cutOff, bytes: 1 })).rejects.toThrow(
      "no such upload",
    );
  });
});
