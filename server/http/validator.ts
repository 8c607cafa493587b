import type { FaultDetail } from "@berth/store";
import { FormatRegistry, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { fillerOf } from "./defaults.ts";
import { faultsOfError, type RequestPart } from "./faults.ts";
import { formats } from "./formats.ts";
import { prunerOf } from "./known-fields.ts";
import { withoutSecrets } from "./secret-fields.ts";

/** A compiled schema: defaults filled in, then either the value or what is wrong with it. */
export type Validator = {
  /** Adds the schema's defaults to `value` (in place for objects) and returns it. */
  withDefaults(value: unknown): unknown;
  accepts(value: unknown): boolean;
  /** Takes out, in place, what the schema does not name. `value` is accepted. */
  prune(value: unknown): void;
  /** Every fault of a value that is not accepted, at most 100. */
  faults(value: unknown): FaultDetail[];
};

const mostFaults = 100;

// Elysia has formats of these names too, and takes other texts for them: whoever is loaded last must not decide.
for (const [name, accepts] of Object.entries(formats)) FormatRegistry.Set(name, accepts);

/** Compiles `schema`, whose values were found at `place`. */
export function validator(schema: TSchema, place: RequestPart): Validator {
  const compiled = TypeCompiler.Compile(schema);
  const fill = fillerOf(schema);
  const prune = prunerOf(schema);
  return {
    withDefaults: (value) => {
      fill?.(value);
      return value;
    },
    accepts: (value) => compiled.Check(value),
    prune: (value) => prune?.(value),
    faults: (value) => collect(compiled, value, place).map((fault) => withoutSecrets(schema, fault)),
  };
}

function collect(compiled: TypeCheck<TSchema>, value: unknown, place: RequestPart): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const seen = new Set<string>();
  for (const error of compiled.Errors(value)) {
    // TypeBox goes on after the first error of a field (a missing one is also "not a string"): one is enough.
    if (seen.has(error.path)) continue;
    seen.add(error.path);
    faults.push(...faultsOfError(error, value, place));
    if (faults.length >= mostFaults) break;
  }
  return faults.slice(0, mostFaults);
}
