import { Type } from "@sinclair/typebox";
import { limitField, offsetField } from "../http/index.ts";

/** What lists are asked with. */
export const pageFields = {
  limit: limitField({ default: 20, maximum: 100 }),
  offset: offsetField(),
};

/** Part of a name or an error that is looked for. */
export const Part = Type.String({ minLength: 1, maxLength: 1_000 });
