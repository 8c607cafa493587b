import type { Policy } from "./policy.ts";

/** Where a request came to: read once from its path, and all that anybody needs to know of the path. */
export type Place<Target = unknown> = {
  /** The operation, where the path and the method have one. */
  readonly target: Target | undefined;
  /** Who may call, and how; also where there is no operation. */
  readonly policy: Policy;
  /** The path's parameters as they stand in it. */
  readonly params: Readonly<Record<string, string>>;
  /** Methods that the path answers to; empty where no operation has it. */
  readonly methods: readonly string[];
};
