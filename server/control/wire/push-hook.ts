import { type Static, Type } from "@sinclair/typebox";
import { nullable, Uuid } from "../../http/index.ts";

/** Where a repository tells of a push, and what it signs that with. */
export const ShownPushHook = Type.Object({ url: Type.String(), secret: Type.String() });
export type ShownPushHook = Static<typeof ShownPushHook>;

/** What became of a push. */
export const TakenPush = Type.Object({
  revision_id: nullable(Uuid),
  reason: Type.Optional(Type.String({ description: "Why Berth made no revision." })),
});
export type TakenPush = Static<typeof TakenPush>;
