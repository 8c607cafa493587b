import { expect, test } from "bun:test";
import { Serial } from "@berth/store";

test("work for one key is done one after the other, in its order; that for another goes on beside it", async () => {
  const serial = new Serial();
  const steps: string[] = [];
  const work = (name: string, after?: Promise<void>) => async () => {
    steps.push(`${name} begins`);
    await after;
    steps.push(`${name} ends`);
    return name;
  };
  const gate = Promise.withResolvers<void>();
  const done = Promise.all([serial.run("one", work("a", gate.promise)), serial.run("one", work("b"))]);
  expect(await serial.run("other", work("c"))).toBe("c");
  expect(steps).toEqual(["a begins", "c begins", "c ends"]);
  gate.resolve();
  expect(await done).toEqual(["a", "b"]);
  expect(steps.slice(3)).toEqual(["a ends", "b begins", "b ends"]);
});

test("what fails fails for the one who asked, and the next has its turn", async () => {
  const serial = new Serial();
  const failed = serial.run("one", () => Promise.reject(new Error("broken")));
  const next = serial.run("one", async () => "done");
  expect(await failed.catch((error: Error) => error.message)).toBe("broken");
  expect(await next).toBe("done");
});
