import { readFileSync } from "node:fs";

// Is loaded before a process's own code. Its clock can be set while it runs: by as many ms as a file says, which is
// read every few ms. The monotonic clock goes on, as on a machine whose time is set.
const file = process.env.CLOCK_STEP_FILE ?? "";
const RightDate = Date;
let stepMs = 0;

setInterval(() => {
  try {
    stepMs = Number(readFileSync(file, "utf8"));
  } catch {
    stepMs = 0;
  }
}, 20).unref();

const now = () => RightDate.now() + stepMs;

globalThis.Date = new Proxy(RightDate, {
  construct: (date, given, as) => Reflect.construct(date, given.length === 0 ? [now()] : given, as),
  apply: () => new RightDate(now()).toString(),
  get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
});
