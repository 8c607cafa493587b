import { type FaultDetail, Invalid } from "@berth/store";
import { OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import { readBody } from "./body.ts";
import { boundsOf } from "./bounds.ts";
import type { RequestPart } from "./faults.ts";
import { textReader } from "./query.ts";
import { validator } from "./validator.ts";

/** The validated values of a request, typed by whoever declared the schemas. */
export type InputValues = { path: unknown; query: unknown; body: unknown };

/** Reads and validates what a request carries; a promise only where there is a body to wait for. */
export type InputReader = (
  request: Request,
  params: Record<string, string>,
  maxBodyBytes: number,
) => InputValues | Promise<InputValues>;

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
 * Compiles the schemas of one route. The result throws one `Invalid` with the faults of all three places, in
 * the order path, query, body, as FastAPI does.
 */
export function inputReader(schemas: Schemas): InputReader {
  const path = textsReader(schemas.params, "path");
  const query = textsReader(schemas.query, "query");
  const body = schemas.body === undefined ? undefined : bodyReader(schemas.body, schemas);
  const readTexts = (request: Request, params: Record<string, string>, faults: FaultDetail[]) => ({
    path: path((name) => (params[name] === undefined ? [] : [params[name]]), faults),
    query: query(textsOfQuery(request.url), faults),
  });
  if (body === undefined)
    return (request, params) => {
      const faults: FaultDetail[] = [];
      const texts = readTexts(request, params, faults);
      if (faults.length > 0) throw new Invalid(faults);
      return { ...texts, body: undefined };
    };
  return async (request, params, maxBodyBytes) => {
    const faults: FaultDetail[] = [];
    const texts = readTexts(request, params, faults);
    const value = await body(request, maxBodyBytes, faults);
    if (faults.length > 0) throw new Invalid(faults);
    return { ...texts, body: value };
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
) {
  const { withDefaults, accepts, prune, faults: faultsOf } = validator(schema, "body");
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
    if (accepts(value)) prune(value);
    else faults.push(...faultsOf(value));
    return value;
  };
}
