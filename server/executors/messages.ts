import type { FromExecutor, ToExecutor } from "@berth/agent";
import type { ExecutorHome, OwnAddress } from "./home.ts";

/** `up` is what a process says once it can hear. */
export type SaidByExecutor = "up" | FromExecutor[];

/**
 * First of all the home and the environment, then what its graphs are asked for; an address when its process listens
 * elsewhere.
 */
export type ToldToExecutor =
  | { home: ExecutorHome; environment: Record<string, string> }
  | { address: OwnAddress }
  | ToExecutor[];
