import { type Static, Type } from "@sinclair/typebox";
import { nullable, Uuid } from "../../http/index.ts";

/** Whose key it was that did something. */
export const ShownAuthor = Type.Object(
  {
    key_id: nullable(Uuid),
    name: Type.String({
      description:
        "What the key is called, or without a `key_id`: `operator` for `SERVICE_API_KEY`, `push hook`, `command line`.",
    }),
  },
  { $id: "Author" },
);
export type ShownAuthor = Static<typeof ShownAuthor>;
