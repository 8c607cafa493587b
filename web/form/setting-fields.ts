import type { Assistant } from "@berth/server";
import type { AssistantSchemas } from "../api/index.ts";
import { type FormField, fieldsOf } from "./form-field.ts";

/** Set by the server for each run: nobody's to choose. */
const OWN_KEYS = /^(__|checkpoint_|langgraph_|thread_id$|run_id$|assistant_id$|graph_id$)/;

export type SettingFields = { context: FormField[]; configurable: FormField[] };

/** What may be set for a conversation. What the assistant has a value for is not needed. */
export function settingFields(
  { context_schema, config_schema }: Pick<AssistantSchemas, "context_schema" | "config_schema">,
  assistant?: Assistant,
): SettingFields {
  const context = settable(context_schema, assistant?.context);
  const inContext = new Set(context.map(({ name }) => name));
  const configurable = settable(config_schema, assistant?.config?.configurable);
  return { context, configurable: configurable.filter(({ name }) => !inContext.has(name)) };
}

type Declared = Record<string, unknown> | null | undefined;

const settable = (schema: Declared, own: Declared): FormField[] =>
  fieldsOf(schema)
    .filter(({ name }) => !OWN_KEYS.test(name))
    .map((field) => ({ ...field, required: field.required && own?.[field.name] === undefined }));
