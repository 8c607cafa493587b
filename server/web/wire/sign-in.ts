import { type Static, Type } from "@sinclair/typebox";
import { nullable, Uuid } from "../../http/index.ts";

/** Whether this server asks who is there, and whether it knows. */
export const ShownSignIn = Type.Object({
  required: Type.Boolean(),
  signed_in: Type.Boolean(),
  workspace: nullable(Type.Object({ id: Uuid, name: Type.String() })),
  has_console: Type.Boolean({ description: "Deployments and what is around them are looked after here." }),
  is_operator: Type.Boolean({ description: "What is of the whole server is theirs to see." }),
  deployment: Type.Optional(
    Type.String({ description: "The name of the deployment that this is, where it is one." }),
  ),
  asks_for: Type.Optional(
    Type.Literal("token", { description: "What people are known by; an API key where it does not say." }),
  ),
});
export type ShownSignIn = Static<typeof ShownSignIn>;
