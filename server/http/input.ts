import { type FaultDetail, Invalid } from "@berth/store";
import { Kind, OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { UnknownFields } from "../access/index.ts";
import { readBody } from "./body.ts";
import { boundsOf } from "./bounds.ts";
import type { RequestPart } from "./faults.ts";
import { validator } from "./validator.ts";

/** The path and query of a request, typed by whoever declared the schemas, and what is wrong with them. */
type AddressValues = { path: unknown; query: unknown; faults: FaultDetail[] };

/** Reads and validates what a request carries. */
export type InputReader = {
  /** Of the path and the query; reads no body. */
  address(request: Request, params: Record<string, string>): AddressValues;
  /** Of the body too. @throws Invalid with the faults of all three places */
  whole(
    request: Request,
    address: AddressValues,
    maxBodyBytes: number,
  ): Promise<Omit<AddressValues, "faults"> & { body: unknown }>;
};

type Schemas = {
  params?: TObject;
  query?: TObject;
  body?: TSchema;
  /** Puts a body into the schema's words. */
  reword?: (body: unknown) => unknown;
  /** Plain text is no JSON. */
  strictJson?: boolean;
  /** A request without a body counts as one with `{}`. */
  mayBeEmpty?: boolean;
};

/**
 * Compiles the schemas of one route. `whole` throws one `Invalid` with the faults of all three places, in the order
 * path, query, body, as FastAPI does.
 * @param unknownFields of the body
 */
export function inputReader(schemas: Schemas, unknownFields: UnknownFields = "ignored"): InputReader {
  const path = textsReader(schemas.params, "path");
  const query = textsReader(schemas.query, "query");
  const body = schemas.body === undefined ? undefined : bodyReader(schemas.body, schemas, unknownFields);
  return {
    address: (request, params) => {
      const faults: FaultDetail[] = [];
      return {
        path: path((name) => (params[name] === undefined ? [] : [params[name]]), faults),
        query: query(textsOfQuery(request.url), faults),
        faults,
      };
    },
    whole: async (request, { path, query, faults }, maxBodyBytes) => {
      const values = { path, query, body: await body?.(request, maxBodyBytes, faults) };
      if (faults.length > 0) throw new Invalid(faults);
      return values;
    },
  };
}

type TextsOf = (name: string) => string[];

const noTexts: TextsOf = () => [];

function textsOfQuery(url: string): TextsOf {
  const start = url.indexOf("?");
  if (start === -1) return noTexts;
  const search = new URLSearchParams(url.slice(start + 1));
  return (name) => search.getAll(name);
}

function textsReader(schema: TObject | undefined, place: RequestPart) {
  if (schema === undefined) return () => ({});
  const read = textReader(schema);
  const { accepts, faults: faultsOf } = validator(schema, place);
  return (textsOf: TextsOf, faults: FaultDetail[]): unknown => {
    const value = read(textsOf);
    if (!accepts(value)) faults.push(...faultsOf(value).map((fault) => inItsOwnText(fault, textsOf)));
    return value;
  };
}

/** The sender wrote text, so a number out of range goes back as that text. */
function inItsOwnText(fault: FaultDetail, textsOf: TextsOf): FaultDetail {
  if (fault.type === "missing") return { ...fault, input: null };
  return typeof fault.input === "number" ? { ...fault, input: textsOf(String(fault.loc[1])).at(-1) } : fault;
}

function bodyReader(
  schema: TSchema,
  { reword = (body) => body, mayBeEmpty = false, strictJson = false }: Schemas,
  unknownFields: UnknownFields | undefined,
) {
  const { withDefaults, accepts, prune, unknown, faults: faultsOf } = validator(schema, "body");
  const tooLarge = boundsOf(schema);
  const isOptional = schema[OptionalKind] === "Optional";
  const takesNull = accepts(null);
  return async (request: Request, maxBodyBytes: number, faults: FaultDetail[]): Promise<unknown> => {
    const sent = await readBody(request, maxBodyBytes, strictJson);
    if ("fault" in sent) {
      faults.push(sent.fault);
      return undefined;
    }
    if (sent.value === undefined && mayBeEmpty) sent.value = {};
    if (sent.value === undefined || (sent.value === null && !takesNull)) {
      if (!isOptional) faults.push({ loc: ["body"], msg: "Field required", type: "missing", input: null });
      return undefined;
    }
    const reworded = reword(sent.value);
    // Before anything looks at every part of it.
    const outsized = tooLarge?.(reworded) ?? [];
    if (outsized.length > 0) {
      faults.push(...outsized);
      return undefined;
    }
    const value = withDefaults(reworded);
    const isFit = accepts(value);
    if (!isFit) faults.push(...faultsOf(value));
    if (unknownFields === "rejected") faults.push(...unknown(value));
    else if (isFit) prune(value);
    return value;
  };
}

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
function textReader(schema: TObject): (textsOf: (name: string) => string[]) => Record<string, unknown> {
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
