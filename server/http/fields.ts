import { type Static, type StringOptions, type TSchema, Type } from "@sinclair/typebox";

/** Schemas of the fields that many routes share. */
export const Uuid = Type.String({ format: "uuid" });
export const Instant = Type.String({ format: "date-time" });
/** Text that is stored as such: a database keeps no half of a surrogate pair. */
export const text = (options: StringOptions = {}) => Type.String({ ...options, format: "unicode" });
/** Free-form JSON object: metadata, config, context. */
export const Dictionary = Type.Record(Type.String(), Type.Unknown());
export type Dictionary = Static<typeof Dictionary>;

export const limitField = (limit: { default: number; maximum: number }) =>
  Type.Integer({ minimum: 1, ...limit });

/** A larger number is a whole number to JSON, but none to a database. */
const greatest = Number.MAX_SAFE_INTEGER;

export const countingField = () => Type.Integer({ minimum: 1, maximum: greatest });

export const offsetField = () => Type.Integer({ minimum: 0, maximum: greatest, default: 0 });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** May be left out, and null is as good as that. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** Several words of a choice in one text, with commas between them; empty parts do not count. */
export const wordsOf = (words: readonly string[], description: string) =>
  Type.String({ pattern: `^[ ,]*(?:(?:${words.join("|")}) *(?:,[ ,]*|$))*$`, "x-words": words, description });

export const Count = Type.Integer({ minimum: 0, description: "How many match." });

/** A choice of words, as FastAPI writes a `Literal[…]`. */
export const oneOf = <const T extends string>(
  words: readonly T[],
  /** With `x-any-case` a parameter's text may be written in small letters where the words are in capitals. */
  options: { default?: T; "x-any-case"?: true } = {},
) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  );
