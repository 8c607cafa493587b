import { type ApiDocument, type ApiOperation, namedObjects, operationsOf, type Schema } from "./document.ts";
import { anchorOf, code, fence, made, page, table } from "./markdown.ts";
import { fieldRows, itemOf, type Objects, words } from "./schema-words.ts";

const HERE = "`/openapi.json`";

/** Answers that mean the same everywhere: the index says them once. */
const EVERYWHERE: Record<string, string> = {
  401: "No valid API key",
  403: "The caller may not do this",
  413: "The body is too large",
  422: "Fields are wrong; the answer names all of them",
};

type Listed = { method: string; path: string; operation: ApiOperation };

/** The pages of `docs/api/` by their names: an index, one for each group of operations, and the objects. */
export function apiPages(document: ApiDocument): Map<string, string> {
  const groups = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags[0] ?? "");
  const known = namedObjects(document);
  const pages = new Map([["README.md", indexPage(document, groups)]]);
  for (const { name, description } of document.tags) {
    const listed = groups.get(name) ?? [];
    if (listed.length > 0)
      pages.set(fileOf(name), groupPage(name, description, listed, { known, page: "objects.md" }));
  }
  return pages.set("objects.md", objectsPage(known));
}

const fileOf = (tag: string) => `${anchorOf(tag)}.md`;

function indexPage({ tags }: ApiDocument, groups: Map<string, Listed[]>): string {
  const rows = tags
    .filter(({ name }) => groups.has(name))
    .map(({ name, description }) => [
      `[${name}](${fileOf(name)})`,
      `${groups.get(name)?.length ?? 0}`,
      description,
    ]);
  return page(
    "# The API, operation by operation",
    "After this page you can find every request that Berth answers. Every Berth also describes its own API at `/openapi.json`. At `/docs` you can try each request. [The Agent Server](../agent-server.md), [The control plane](../control-plane.md) and [Traces and issues](../issue-api.md) explain the rules of the operations.",
    made(HERE),
    table(["Group", "Operations", "What it is about"], rows),
    "Berth ignores fields in your request that these pages do not name. An answer may have such fields.",
    "## Answers that every operation may give",
    table(
      ["Code", "When"],
      Object.entries(EVERYWHERE).map(([status, when]) => [code(status), when]),
    ),
    'Every failure, also each of these, is `{"detail": …}`; with 422, `detail` is a [list](objects.md#validationerror) of what is wrong. 401 and 403 occur only if a key is needed, see [who may call](../agent-server.md#who-may-call).',
  );
}

function groupPage(name: string, description: string, listed: Listed[], objects: Objects): string {
  const rows = listed.map(({ method, path, operation }) => [
    `[${code(`${method} ${path}`)}](#${anchorOf(`${method} ${path}`)})`,
    operation.summary,
  ]);
  return page(
    `# ${name}`,
    description,
    made(HERE),
    table(["Operation", "Does"], rows),
    ...listed.map((one) => section(one, objects)),
  );
}

function section({ method, path, operation }: Listed, objects: Objects): string {
  const { summary, description, parameters = [], requestBody } = operation;
  const given = parameters.map(({ name, in: place, required, description: means = "", schema }) => [
    code(name),
    place,
    `${words(schema, objects)}${required ? ", needed" : ""}`,
    [means, usual(schema)].filter(Boolean).join(" "),
  ]);
  return page(
    `## ${method} ${path}`,
    `**${summary}.** ${description ?? ""}`.trim(),
    given.length > 0 ? table(["Parameter", "In", "Is", "Meaning"], given) : undefined,
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema = {}, example }]) =>
      bodyOf(type, schema, example, objects),
    ),
    answersOf(operation, objects),
  ).trimEnd();
}

const usual = (schema: Schema) =>
  schema.default === undefined ? "" : `Default ${code(JSON.stringify(schema.default))}.`;

function bodyOf(type: string, schema: Schema, example: unknown, objects: Objects): string {
  const rows = fieldRows(schema, objects);
  const kind = type === "application/json" ? "" : `, ${code(type)}`;
  return page(
    rows.length > 0 ? `Body${kind}:` : `Body${kind}: ${words(schema, objects)}.`,
    rows.length > 0 ? fields(rows) : undefined,
    example === undefined ? undefined : page("For example", fence("json", shown(example))).trimEnd(),
  ).trimEnd();
}

const fields = (rows: string[][]) => table(["Field", "Is", "Needed", "Meaning"], rows);

const shown = (example: unknown) => JSON.stringify(example, null, 2);

function answersOf({ responses }: ApiOperation, objects: Objects): string {
  const rows = Object.entries(responses)
    .filter(([status, { description }]) => EVERYWHERE[status] !== description)
    .map(([status, { description, content = {} }]) => {
      const [type = "", answer = {}] = Object.entries(content)[0] ?? [];
      const isJson = type === "" || type === "application/json";
      const body = isJson ? (answer.schema ? words(answer.schema, objects) : "") : code(type);
      return [code(status), description, Number(status) >= 400 ? "" : body];
    });
  return page(table(["Answer", "When", "Body"], rows), ...shapesOf(responses, objects)).trimEnd();
}

/** The fields of good answers that are objects without a name, or lists of these. */
function shapesOf(responses: ApiOperation["responses"], objects: Objects): string[] {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return good.flatMap(([status, { content = {} }]) => {
    const schema = content["application/json"]?.schema ?? {};
    const shape = schema.type === "array" ? itemOf(schema) : schema;
    const rows = shape.title === undefined ? fieldRows(shape, objects) : [];
    const each = schema.type === "array" ? "Each of" : "In";
    return rows.length > 0
      ? [`${each} ${code(status)}:`, table(["Field", "Is", "Always", "Meaning"], rows)]
      : [];
  });
}

function objectsPage(known: ReadonlyMap<string, Schema>): string {
  const sections = [...known]
    .sort(([one], [other]) => one.localeCompare(other, "en"))
    .map(([name, schema]) => {
      const rows = fieldRows(schema, { known, page: "" });
      return page(
        `## ${name}`,
        schema.description,
        rows.length > 0
          ? table(["Field", "Is", "Always", "Meaning"], rows)
          : words({ ...schema, title: "" }, { known, page: "" }),
      ).trimEnd();
    });
  return page(
    "# Objects",
    "The parts of requests and answers that have a name. The pages of the operations link here.",
    made(HERE),
    ...sections,
  );
}
