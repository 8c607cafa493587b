import type { TSchema } from "@sinclair/typebox";

type Plain = Record<string, unknown>;

/** Collects the schemas that have a name (`$id`), so that the document spells each of them once. */
export class Components {
  readonly schemas: Record<string, Plain> = {};

  /** `schema` as the document shows it: named parts as references, choices of words as `enum`. */
  plain(schema: TSchema): Plain {
    const { $id, ...rest } = schema;
    if ($id === undefined) return this.#object(rest);
    if (this.schemas[$id] === undefined) {
      this.schemas[$id] = {};
      this.schemas[$id] = this.#object(rest);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  #object(schema: Plain): Plain {
    const { anyOf, ...others } = schema;
    const words = wordsOf(anyOf);
    if (words !== undefined) return { type: "string", enum: words, ...others };
    return withoutDefaulted(Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, this.#value(v)])));
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isPlain(value)) return value;
    return typeof value.$id === "string" ? this.plain(value as TSchema) : this.#object(value);
  }
}

/** The words of a union of string literals, which other tools understand better as an `enum`. */
function wordsOf(anyOf: unknown): string[] | undefined {
  if (!Array.isArray(anyOf) || anyOf.length === 0) return undefined;
  const words = anyOf.map((branch: unknown) => (isPlain(branch) ? branch.const : undefined));
  return words.every((word) => typeof word === "string") ? words : undefined;
}

/** TypeBox counts a field with a default as required, for it is there once the default is; a sender may leave it out. */
function withoutDefaulted(schema: Plain): Plain {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isPlain(properties)) return schema;
  const kept = required.filter((name: string) => {
    const field = properties[name];
    return !(isPlain(field) && "default" in field);
  });
  const { required: _, ...others } = schema;
  return kept.length === 0 ? others : { ...others, required: kept };
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
