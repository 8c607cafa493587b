import type { Truncated } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { forTests } from "../access/index.ts";
import { json, type Operation, operation } from "../http/index.ts";

export type TruncateDeps = {
  /** Stops what runs and empties tables. */
  truncate: (wanted: Truncated[]) => Promise<void>;
};

const wish = Type.Optional(Type.Boolean({ default: false }));

/** Empties the database, for tests of clients: there only where `BERTH_TEST` is 1. */
export const truncateRoutes = ({ truncate }: TruncateDeps): Operation[] => [
  operation(
    {
      method: "POST",
      path: "/internal/truncate",
      access: forTests,
      bodyLimit: "process",
      tag: "System",
      summary: "Forget everything of a kind",
      body: Type.Object({ runs: wish, threads: wish, assistants: wish, checkpointer: wish, store: wish }),
      answers: { 200: "It is gone" },
      unlisted: true,
    },
    async ({ body }) => {
      const kinds: Truncated[] = ["runs", "threads", "assistants", "checkpointer", "store"];
      await truncate(kinds.filter((kind) => body[kind] === true));
      return json({ ok: true });
    },
  ),
];
