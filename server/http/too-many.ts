import { Fault } from "@berth/store";

/** The caller has sent more than it may (429). */
export class TooMany extends Fault {
  override name = "TooMany";

  constructor(
    readonly retryAfterSeconds: number,
    what = "Too many requests",
  ) {
    super(`${what}: try again in ${retryAfterSeconds} s`);
  }
}
