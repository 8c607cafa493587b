import { ROUTES } from "../bad-input-routes.ts";
import { LARGEST } from "./worst-data.ts";

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  maximum?: number;
  $ref?: string;
  "x-max-elements"?: number;
};
type Described = {
  parameters?: { in: string; name: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type ApiDocument = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** One request: an operation with one of its fields at its largest, or with as much as it gives at once. */
export type Step = {
  name: string;
  method: string;
  path: string;
  body?: string;
  /** What is sent instead where that is more than the operation takes. */
  smaller?: string;
};

/** Ends of what others need come last. */
const LAST = /^(DELETE|POST \/threads\/prune|POST \/runs\/cancel|POST .*\/(cancel|interrupt)$)/;
/** A socket's own. */
const LEFT_OUT = new Set(["GET /api/threads/{thread_id}/stream", "GET /threads/{thread_id}/stream/events"]);
const MARK = "the largest value";

/**
 * Every operation of the API document with the largest page that it gives, and with each of its fields at the largest
 * that it may be.
 * @param ids what stands for the names in paths
 * @param given bodies that an operation takes, where those of the table are refused
 */
export function steps(
  document: ApiDocument,
  ids: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, object>>,
): Step[] {
  const rows = ROUTES.filter(({ route }) => !LEFT_OUT.has(route));
  const isLast = ({ route }: { route: string }) => LAST.test(route);
  const inOrder = [...rows.filter((row) => !isLast(row)), ...rows.filter(isLast)];
  return inOrder.flatMap(({ route, body: taken, list }) => {
    const [method = "", template = ""] = route.split(" ");
    const described = document.paths[template]?.[method.toLowerCase()] ?? {};
    // A run that goes on from what another was given would be measured with it.
    const own = /^POST \/threads\/\{thread_id\}\/runs/.test(route) ? { thread_id: undefined } : {};
    const known: Record<string, string | undefined> = { ...ids, ...own };
    const pathOf = () =>
      template.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? crypto.randomUUID()) +
      largestPage(described);
    const body = given[route] ?? taken;
    const textOf = (changed: object) =>
      JSON.stringify(list ? [{ ...body, ...changed }] : { ...body, ...changed });
    const plain: Step = { name: route, method, path: pathOf(), ...(body && { body: textOf({}) }) };
    if (!body) return [plain];
    const schema = schemaOf(described.requestBody?.content["application/json"]?.schema, document);
    const fields = Object.entries(
      (schema.items ? schemaOf(schema.items, document) : schema).properties ?? {},
    );
    const large = fields.flatMap(([field, one]) =>
      kindsOf(one, document).map((kind): Step => {
        const text = textOf({ [field]: MARK });
        const holding = (value = "") => text.replace(`"${MARK}"`, () => value);
        const name = `${route} ${field}: ${kind}`;
        return {
          name,
          method,
          path: pathOf(),
          body: holding(LARGEST[kind]),
          smaller: holding(LARGEST[`small ${kind}`]),
        };
      }),
    );
    return [plain, ...large];
  });
}

function schemaOf(schema: Schema | undefined, document: ApiDocument): Schema {
  const named = schema?.$ref?.split("/").at(-1);
  if (named !== undefined) return schemaOf(document.components.schemas[named], document);
  return schema ?? {};
}

/** What kinds of values a field may have that are large. */
function kindsOf(given: Schema, document: ApiDocument): string[] {
  const schema = schemaOf(given, document);
  if (schema["x-max-elements"] !== undefined) return ["bounded"];
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((one) => kindsOf(one, document)))];
  if (schema.enum ?? schema.const !== undefined) return [];
  const types = [schema.type ?? "anything"].flat();
  return types.flatMap((type) => {
    if (type === "array") return ["list"];
    if (type === "string")
      return schema.format === undefined && schema.maxLength === undefined ? ["string"] : [];
    if (type === "anything" || (type === "object" && !schema.properties))
      return ["text", "values", "names", "deep"];
    return [];
  });
}

function largestPage({ parameters = [] }: Described): string {
  const limit = parameters.find((one) => one.in === "query" && one.name === "limit");
  return limit ? `?limit=${limit.schema?.maximum ?? 100}` : "";
}
