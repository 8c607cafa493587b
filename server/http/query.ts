import { Kind, type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** Turns the texts given for one parameter into a value; a text it cannot read stays a text. */
type Reading = (texts: string[]) => unknown;

const booleans: Record<string, boolean> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  false: false,
  "0": false,
  no: false,
  off: false,
};

/**
 * Reads an object of parameters from texts. Clients disagree on how a value is written (agent SDKs in
 * JavaScript and Python), so all their forms are taken: booleans as words or 1/0, lists as repeated keys, as
 * JSON text, as one value, or comma-joined where the schema says `explode: false`. An empty text means absent.
 */
export function textReader(
  schema: TObject,
): (textsOf: (name: string) => string[]) => Record<string, unknown> {
  const fields = Object.entries(schema.properties).map(([name, field]) => ({
    name,
    read: readingOf(field),
    fallback: field.default as unknown,
  }));
  return (textsOf) => {
    const value: Record<string, unknown> = {};
    for (const { name, read, fallback } of fields) {
      const texts = textsOf(name);
      const given = texts.length > 0 && texts.includes("") ? texts.filter((text) => text !== "") : texts;
      if (given.length > 0) value[name] = read(given);
      else if (fallback !== undefined) value[name] = structuredClone(fallback);
    }
    return value;
  };
}

function readingOf(schema: TSchema): Reading {
  switch (schema[Kind]) {
    case "Integer":
      return last((text) => (/^[+-]?\d+$/.test(text) ? Number(text) : text));
    case "Number":
      return last((text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text));
    case "Boolean":
      return last((text) => booleans[text.toLowerCase()] ?? text);
    case "String":
      // The same id may be written in capitals; rows hold it in small letters.
      return last(schema.format === "uuid" ? (text) => text.toLowerCase() : (text) => text);
    case "Literal":
      return last((text) => (String(schema.const) === text ? schema.const : text));
    case "Array":
      return listReading(schema);
    case "Union":
      if (schema["x-any-case"]) return last((text) => text.toUpperCase());
      return unionReading(schema.anyOf);
    default:
      return last((text) => jsonOr(text));
  }
}

const last =
  (read: (text: string) => unknown): Reading =>
  (texts) =>
    read(texts.at(-1) ?? "");

function listReading(schema: TSchema): Reading {
  const item = readingOf(schema.items);
  return (texts) => {
    const [only] = texts;
    if (texts.length === 1 && only !== undefined) {
      const list = only.startsWith("[") ? jsonOr(only) : only;
      if (Array.isArray(list)) return list;
      if (schema.explode === false) return only.split(",").map((text) => item([text]));
    }
    return texts.map((text) => item([text]));
  };
}

function unionReading(branches: TSchema[]): Reading {
  const readings = branches
    .filter((branch) => branch[Kind] !== "Null")
    .map((branch) => ({ branch, read: readingOf(branch) }));
  const lists = readings.filter(({ branch }) => branch[Kind] === "Array");
  const single = readings.filter(({ branch }) => branch[Kind] !== "Array");
  return (texts) => {
    const several = texts.length > 1 || texts[0]?.startsWith("[") === true;
    const order = several ? [...lists, ...single] : [...single, ...lists];
    for (const { branch, read } of order) {
      const value = read(texts);
      if (Value.Check(branch, value)) return value;
    }
    return order[0]?.read(texts) ?? texts.at(-1);
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
