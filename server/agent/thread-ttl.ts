import { Invalid, type ThreadTtl } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../http/index.ts";
import { ttlStrategies } from "./wire/index.ts";

/** A hundred years; a thread that is to stay longer needs no time to live. */
const MAX_MINUTES = 52_560_000;
const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: MAX_MINUTES, description: "Minutes from now." });

/** A time to live as requests give it: minutes, or an object. */
export const Ttl = nullable(
  Type.Union(
    [
      Minutes,
      Type.Object({
        ttl: Type.Optional(nullable(Minutes)),
        strategy: Type.Optional(nullable(oneOf([...ttlStrategies]))),
      }),
    ],
    {
      description:
        "When the thread ends, and what happens to it then, `delete` by default; with null, it stays.",
    },
  ),
);

/** What a request asks for: undefined leaves it as it is, null lets the thread stay. @throws Invalid */
export function ttlOf(
  given: Static<typeof Ttl> | undefined,
  { defaultMinutes }: { defaultMinutes: number | undefined },
): ThreadTtl | null | undefined {
  if (given === undefined || given === null) return given;
  const { ttl = null, strategy } = typeof given === "number" ? { ttl: given, strategy: null } : given;
  const minutes = ttl ?? defaultMinutes;
  if (minutes === undefined)
    throw Invalid.body("ttl", "Value error, ttl is missing and the project has no default", given);
  return { strategy: strategy ?? "delete", minutes };
}
