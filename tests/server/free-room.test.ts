import { expect, test } from "bun:test";
import { FreeRoom } from "../../server/clock/index.ts";

/** A file of so many pages, and what is done to it. */
function file(pages: number, free: number, more: { givesBack?: boolean; isRead?: boolean } = {}) {
  const { givesBack = true } = more;
  const state = { free, pages, pageBytes: 4_096, givesBack, isRead: more.isRead ?? false, checkpoints: 0 };
  const room = new FreeRoom({
    freePages: async () => ({ ...state }),
    giveBackSlice: async () => {
      state.free -= 100;
      state.pages -= 100;
    },
    checkpoint: () => {
      state.checkpoints += 1;
      return !state.isRead;
    },
  });
  return { state, room };
}

test("what is free goes, but for a share that later writes use; then the log moves into the file, once", async () => {
  const { state, room } = file(10_000, 4_000);
  await room.once();
  await room.once();
  expect(state).toMatchObject({ free: 1_000, checkpoints: 1 });
});

test.each([
  ["5 % of a large file", file(100_000, 5_000)],
  ["a thousand pages", file(1_500, 1_000)],
  ["what an old file keeps", file(10_000, 9_000, { givesBack: false })],
])("%s stays", async (_, { state, room }) => {
  const { free } = state;
  await room.once();
  expect(state).toMatchObject({ free, checkpoints: 0 });
});

test("a log that somebody still reads is moved later", async () => {
  const { state, room } = file(10_000, 1_100, { isRead: true });
  await room.once();
  state.isRead = false;
  await room.once();
  await room.once();
  expect(state.checkpoints).toBe(2);
});
