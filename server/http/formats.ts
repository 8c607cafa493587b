const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** String formats that our schemas name; each says whether a text has it. */
export const formats: Record<string, (text: string) => boolean> = {
  uuid: (text) => uuid.test(text),
  // Half a surrogate pair: a database would store another text, the same one for each of them.
  unicode: (text) => text.isWellFormed(),
  "date-time": (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
  // As pydantic reads a `datetime`: a day will do.
  moment: (text) => formats["date-time"]?.(/^[\d-]{10}$/.test(text) ? `${text}T00:00Z` : text) === true,
  uri: (text) => URL.canParse(text),
  "uri-reference": (text) => URL.canParse(text, "http://localhost/"),
};
