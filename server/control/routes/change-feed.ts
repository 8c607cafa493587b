import type { Change, Changes } from "@berth/store";
import { Arrivals } from "./arrivals.ts";

/** Tells those who watch when something became different, whichever process on this database did it. */
export class ChangeFeed extends Arrivals {
  constructor(private readonly changes: Pick<Changes, "after" | "newest">) {
    super(() => changes.newest());
  }

  /** What came after `seq` in a workspace, oldest first; may be nothing. */
  after(workspaceId: string, seq: number, limit: number): Promise<Change[]> {
    return this.changes.after(workspaceId, seq, limit);
  }
}
