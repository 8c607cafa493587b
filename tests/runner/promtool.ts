import { install } from "./apt.ts";

/** Installs what tests alert rules, where it can. Without it, the test counts as skipped. */
export async function ensurePromtool(): Promise<void> {
  if (!Bun.which("promtool")) await install(["prometheus"], "the test of the alert rules");
}
