import { json } from "../http/answer.ts";
import { openApiDocument } from "../http/openapi.ts";
import { type Operation, operation } from "../http/operation.ts";
import type { OperationTable } from "../http/operation-table.ts";
import { docsPage } from "./page.ts";

const day = "public, max-age=86400";

/** `/openapi.json`, `/docs` and the page's script. The document is made on the first request. */
export function docsRoutes({ table, version }: { table: OperationTable; version: string }): Operation[] {
  let document: ReturnType<typeof openApiDocument> | undefined;
  let page: ReturnType<typeof docsPage> | undefined;
  return [
    operation(
      {
        method: "GET",
        path: "/openapi.json",
        tag: "System",
        summary: "API document",
        description: "Every route of this process as OpenAPI 3.1.",
        answers: { 200: { description: "The document", mediaType: "application/json" } },
      },
      () => {
        document ??= openApiDocument(table, version);
        return json(document);
      },
    ),
    operation(
      {
        method: "GET",
        path: "/docs",
        tag: "System",
        summary: "API reference",
        description: "A page to read and try the API; needs no other host.",
        answers: { 200: { description: "The page", mediaType: "text/html" } },
      },
      async () => {
        page ??= docsPage();
        const { html, headers } = await page;
        return new Response(html, { headers });
      },
    ),
    operation(
      {
        method: "GET",
        path: "/docs/scalar.js",
        tag: "System",
        summary: "Script of the API reference",
        answers: { 200: { description: "The script", mediaType: "text/javascript" } },
      },
      async () => {
        const { scalarScript } = await import("./scalar-script.ts");
        const headers = { "content-type": "text/javascript; charset=utf-8", "cache-control": day };
        return new Response(Bun.file(scalarScript), { headers });
      },
    ),
  ];
}
