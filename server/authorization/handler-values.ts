/** The members of a handler's `value`, by name. */
export type HandlerValues = Record<string, unknown>;

/** Members without which an operation cannot go on: a handler that deletes one leaves it as it was. */
const REQUIRED = new Set(["limit", "offset", "namespace", "key", "value", "graph_id", "schedule", "kwargs"]);

/** The fields of a request as a handler gets them: metadata is always there, so that handlers can add to it. */
export function changeable(fields: HandlerValues): HandlerValues {
  return "metadata" in fields ? { ...fields, metadata: { ...asObject(fields.metadata) } } : { ...fields };
}

/**
 * The fields of a request with what a handler made of them: replaced, changed in place or deleted.
 * @throws TypeError the handler left something that the operation cannot use
 */
export function withChanges(fields: HandlerValues, value: HandlerValues, event: string): HandlerValues {
  const changed = Object.keys(fields).map((name) => [name, changedField(fields, value, name)]);
  const made = Object.fromEntries(changed) as HandlerValues;
  if ("metadata" in made && made.metadata !== undefined && !isObject(made.metadata))
    throw unusable(event, "metadata", "an object");
  if ("kwargs" in made && !isObject(made.kwargs)) throw unusable(event, "kwargs", "an object");
  if ("namespace" in made && !isNamespace(made.namespace))
    throw unusable(event, "namespace", "a list of texts");
  return made;
}

function changedField(fields: HandlerValues, value: HandlerValues, name: string): unknown {
  const made = value[name];
  if (name === "metadata") {
    // A request without metadata stays one, so that an empty object changes nothing.
    const isEmpty = made === undefined || made === null || (isObject(made) && Object.keys(made).length === 0);
    return isEmpty ? ((fields.metadata ?? undefined) === undefined ? undefined : {}) : made;
  }
  return made === undefined && REQUIRED.has(name) ? fields[name] : made;
}

const unusable = (event: string, name: string, what: string) =>
  new TypeError(`the auth handler of ${event} must leave ${what} in value.${name}`);

const isObject = (given: unknown): given is HandlerValues =>
  typeof given === "object" && given !== null && !Array.isArray(given);

const asObject = (given: unknown): HandlerValues => (isObject(given) ? given : {});

const isNamespace = (given: unknown): boolean =>
  Array.isArray(given) && given.every((label) => typeof label === "string");
