export { type FormField, type FormSchema, fieldsOf } from "./form-field.ts";
export { FormFields } from "./form-fields.tsx";
export { type SettingFields, settingFields } from "./setting-fields.ts";
export { type SchemaForm, useSchemaForm } from "./use-schema-form.ts";
