import { type Guard, missingThread } from "./guard.ts";

/** Whether a caller may see the thread of a connection, which is checked again while the connection lasts. */
export class ThreadSight {
  #wasSeen = false;

  constructor(private readonly threadId: string) {}

  /**
   * True also for a missing thread, which the caller may create.
   * @throws Denied, AuthRefusal
   * @throws NotFound the caller saw the thread before, and may not see it any longer
   */
  async isOpenTo(guard: Guard | undefined): Promise<boolean> {
    if (!guard) return true;
    const { access } = await guard.threadAccess(this.threadId, "read");
    if (access === "foreign" && this.#wasSeen) throw missingThread(this.threadId);
    this.#wasSeen ||= access === "permitted";
    return access !== "foreign";
  }
}
