// What a form of a schema says, in one place, so that it can be read in one go.

export const WORDS = {
  // field-text
  thisMust: "This must be a number.",
  thisMustBeA: "This must be a whole number.",
  thisMustBeAJson: "This must be a JSON list: [ … ].",
  thisMustBeAJsonObject: "This must be a JSON object: { … }.",
  thisIsNotValid: (error: string) => `This is not valid JSON: ${error}`,
  thisNeedsAtLeast: (minLength: number) => `This needs at least ${minLength} characters.`,
  thisMay: (maxLength: number) => `This may have at most ${maxLength} characters.`,
  thisMustMatch: (pattern: string) => `This must match ${pattern}.`,
  thisMustBeAt: (minimum: number) => `This must be at least ${minimum}.`,
  thisMustBeAtMost: (maximum: number) => `This must be at most ${maximum}.`,
  thisMustBeMore: (exclusiveMinimum: number) => `This must be more than ${exclusiveMinimum}.`,
  thisMustBeLess: (exclusiveMaximum: number) => `This must be less than ${exclusiveMaximum}.`,
  thisNeedsAtLeastEntries: (minItems: number) => `This needs at least ${minItems} entries.`,
  thisMayHaveAt: (maxItems: number) => `This may have at most ${maxItems} entries.`,

  // form-field
  input: "Input",

  // form-fields
  editAsForm: "Edit as form",
  editAsJson: "Edit as JSON",
  asJson: (label: string) => `${label} as JSON`,
  default: (standing: string) => `Default (${standing})`,
  notSet: "Not set",
  oneEntryPerLine: "One entry per line.",
  aMessage: "A message, or a JSON list of messages.",
  json: "JSON.",

  // form-values
  thisIsRequired: "This is required.",
} as const;
