// Is loaded before a process's own code: its clock is ahead, as that of a machine that nobody sets.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const RightDate = Date;
const now = () => RightDate.now() + aheadMs;

globalThis.Date = new Proxy(RightDate, {
  construct: (date, given, as) => Reflect.construct(date, given.length === 0 ? [now()] : given, as),
  apply: () => new RightDate(now()).toString(),
  get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
});
