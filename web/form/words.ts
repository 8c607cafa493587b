// What a form of a schema says, in one place, so that it can be read in one go.

export const WORDS = {
  // field-text
  mustBeNumber: "This must be a number.",
  mustBeInteger: "This must be a whole number.",
  mustBeJsonList: "This must be a JSON list: [ … ].",
  mustBeJsonObject: "This must be a JSON object: { … }.",
  invalidJson: (error: string) => `This is not valid JSON: ${error}`,
  tooFewCharacters: (minLength: number) => `This needs at least ${minLength} characters.`,
  tooManyCharacters: (maxLength: number) => `This may have at most ${maxLength} characters.`,
  mustMatchPattern: (pattern: string) => `This must match ${pattern}.`,
  belowMinimum: (minimum: number) => `This must be at least ${minimum}.`,
  aboveMaximum: (maximum: number) => `This must be at most ${maximum}.`,
  mustBeMoreThan: (exclusiveMinimum: number) => `This must be more than ${exclusiveMinimum}.`,
  mustBeLessThan: (exclusiveMaximum: number) => `This must be less than ${exclusiveMaximum}.`,
  tooFewEntries: (minItems: number) => `This needs at least ${minItems} entries.`,
  tooManyEntries: (maxItems: number) => `This may have at most ${maxItems} entries.`,

  // form-field
  input: "Input",

  // form-fields
  editAsForm: "Edit as form",
  editAsJson: "Edit as JSON",
  asJson: (label: string) => `${label} as JSON`,
  defaultValue: (standing: string) => `Default (${standing})`,
  notSet: "Not set",
  oneEntryPerLine: "One entry per line.",
  messageHint: "A message, or a JSON list of messages.",
  jsonHint: "JSON.",

  // form-values
  required: "This is required.",
} as const;
