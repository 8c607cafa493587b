import { expect, test } from "bun:test";
import { servedBerth } from "./served-berth.ts";

type Media = { schema?: unknown; example?: unknown };
type Content = Record<string, Media>;
type Answer = { description: string; content?: Content };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  security?: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Answer>;
};
type Document = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};

const berth = servedBerth({ env: { CHAT_API_URL: "http://127.0.0.1:1" } });

async function readDocument() {
  const document: Document = await (await fetch(`${berth.url}/openapi.json`)).json();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return { document, operations };
}

test("the document says what it is about, and what each group is", async () => {
  const { document, operations } = await readDocument();
  expect(document.info).toMatchObject({ title: "Berth", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(document.info.description).toContain("X-Api-Key");
  expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  const groups = document.tags.map(({ name }) => name);
  expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(groups));
  expect(operations.length).toBeGreaterThan(40);
});

/** Refused while there is no key that everybody has to have from then on, or without a signature. */
const needsKey = (name: string) =>
  /^POST \/v[12]\/(deployments|listeners|keys|workspaces|integrations\/github)$/.test(name) ||
  name === "POST /v2/deployments/{deployment_id}/push-hook";

/** A thread that is not there is created, waited for, or as good as deleted. */
const takesAnyThread = (name: string) =>
  /^(POST|GET) \/(api\/)?threads\/\{thread_id\}\/(commands|stream|stream\/events)$/.test(name) ||
  ["DELETE /api/threads/{thread_id}", "POST /api/threads/{thread_id}/state"].includes(name) ||
  // A copy of it is refused with 409, as in the official server.
  name === "POST /threads/{thread_id}/copy";

/** What is done to a thing as it is. */
const withoutBody = /\/(cancel|copy|redeploy|interrupt|upload-url|push-token|push-hook\/rotate|sweep)$/;

test("every operation has a summary, its parameters, its body, its answers and its errors", async () => {
  const { operations } = await readDocument();
  const problems = operations.flatMap(({ name, method, path, operation }) => {
    const { summary, parameters, requestBody, responses } = operation;
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const told = parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name);
    const statuses = Object.keys(responses).map(Number);
    const errors = statuses.filter((status) => status >= 400);
    const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.entries(part?.content ?? {}),
    );
    return [
      ...(summary.length > 5 ? [] : ["summary"]),
      ...(inPath.join() === told.join() ? [] : ["path parameters"]),
      ...(["POST", "PUT", "PATCH"].includes(method) && !requestBody && !withoutBody.test(path)
        ? ["body"]
        : []),
      ...(statuses.some((status) => status < 300) ? [] : ["answer"]),
      ...(errors.length > 0 ? [] : ["errors"]),
      ...(path === "/ok" || (errors.includes(401) && errors.includes(403)) ? [] : ["401, 403"]),
      ...(inPath.length > 0 && !errors.includes(422) ? ["422"] : []),
      ...(/\{(assistant|thread|run)_id\}/.test(path) && !errors.includes(404) && !takesAnyThread(name)
        ? ["404"]
        : []),
      ...errors
        .filter((status) => responses[status]?.content?.["application/json"]?.schema === undefined)
        .map((status) => `schema of ${status}`),
      ...Object.entries(responses)
        .filter(([, { description }]) => !description)
        .map(([status]) => `description of ${status}`),
      ...contents
        .filter(([type, { schema }]) => type === "application/json" && !schema && path !== "/openapi.json")
        .map(() => "schema of JSON"),
    ].map((problem) => `${name}: ${problem}`);
  });
  expect(problems).toEqual([]);
});

test("every reference leads somewhere", async () => {
  const { document } = await readDocument();
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(50);
  for (const [, name = ""] of references) expect(Object.keys(document.components.schemas)).toContain(name);
});

test("every body has an example that the server takes", async () => {
  const { operations } = await readDocument();
  // A checkpoint's id cannot be known before there is one.
  const without = ["POST /threads/{thread_id}/state/checkpoint"];
  for (const { name, method, path, operation } of operations) {
    const body = operation.requestBody?.content["application/json"];
    if (!body || without.includes(name)) continue;
    expect({ name, example: typeof body.example }).toEqual({ name, example: "object" });
    const response = await fetch(berth.url + path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body.example),
    });
    const { status } = response;
    const isUnknown = path.includes("{") && !takesAnyThread(name);
    const isGood = needsKey(name) ? status === 401 : isUnknown ? status === 404 : status < 300;
    // Streams have no end; a refusal has, and says why.
    if (isGood) await response.body?.cancel();
    expect({ name, refused: isGood ? null : `${status} ${await response.text()}` }).toEqual({
      name,
      refused: null,
    });
  }
});
