import type { DeclaredSecurity } from "@berth/agent";
import { documentation, documentationPage } from "../access/index.ts";
import { anybody } from "../authorization/index.ts";
import {
  json,
  type OpenApiDocument,
  type Operation,
  type OperationTable,
  openApiDocument,
  operation,
} from "../http/index.ts";
import { documentAnswer, type Site } from "../web/index.ts";
import { examplesFor } from "./examples.ts";
import { explained } from "./glossary.ts";
import { swaggerPage } from "./swagger-page.ts";
import { tags } from "./tags.ts";

const day = "public, max-age=86400";

/** `graph` is one that this process serves: the examples run it. `publicUrl` is where clients reach us, as set. */
type DocsRoutesDeps = {
  table: OperationTable;
  graph: string;
  site: Site;
  /** How far below the page's files it is mounted. */
  level?: number;
  publicUrl?: string | null;
  /** What the project says of its own auth. */
  security?: DeclaredSecurity | undefined;
};

/** `/openapi.json`, `/docs` and the files of that page. Document and page are made on the first request. */
export function docsRoutes(deps: DocsRoutesDeps): Operation[] {
  const { table, graph, site, level = 0, publicUrl = null, security } = deps;
  let document: object | undefined;
  return [
    operation(
      {
        method: "GET",
        path: "/openapi.json",
        access: documentation(anybody),
        bodyLimit: "none",
        tag: "System",
        summary: "API document",
        description: "Every route of this process as OpenAPI 3.1.",
        answers: { 200: { description: "The document", mediaType: "application/json" } },
      },
      () => {
        document ??= {
          ...withDeclared(
            explained(structuredClone(openApiDocument(table, { tags, examples: examplesFor(graph) }))),
            security,
          ),
          ...serversAt(publicUrl),
        };
        return json(document);
      },
    ),
    ...docsPages(site, level),
  ];
}

/**
 * The page that explains the API; the same in Swagger UI, for those who are used to it, and the files that it loads.
 * @param level how far below the page's files it is mounted
 */
export function docsPages(site: Site, level = 0): Operation[] {
  let swagger: ReturnType<typeof swaggerPage> | undefined;
  return [
    operation(
      {
        method: "GET",
        path: "/docs",
        access: documentationPage(anybody),
        bodyLimit: "none",
        tag: "System",
        summary: "API reference",
        description: "A page to read and try the API; needs no other host.",
        answers: { 200: { description: "The page", mediaType: "text/html" } },
      },
      ({ request }) => documentAnswer(site, "docs", request, level),
    ),
    operation(
      {
        method: "GET",
        path: "/docs/swagger",
        access: documentation(anybody),
        bodyLimit: "none",
        tag: "System",
        summary: "API reference in Swagger UI",
        answers: { 200: { description: "The page", mediaType: "text/html" } },
        unlisted: true,
      },
      async () => {
        swagger ??= swaggerPage();
        const { html, headers } = await swagger;
        return new Response(html, { headers });
      },
    ),
    asset("swagger-ui.css", "text/css"),
    asset("swagger-ui-bundle.js", "text/javascript"),
  ];
}

/** Behind a path, as deployments are: without this, clients take the paths for those of the host. */
function serversAt(publicUrl: string | null): { servers?: { url: string }[] } {
  const path = publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  return path === "" ? {} : { servers: [{ url: path }] };
}

/** One of the files that the page loads. */
function asset(name: "swagger-ui.css" | "swagger-ui-bundle.js", mediaType: string): Operation {
  return operation(
    {
      method: "GET",
      path: `/docs/${name}`,
      access: documentation(null),
      bodyLimit: "none",
      tag: "System",
      summary: "A file of the API reference",
      answers: { 200: { description: "The file", mediaType } },
      unlisted: true,
    },
    async () => {
      const { files } = await import("./files.ts");
      const headers = {
        "content-type": `${mediaType}; charset=utf-8`,
        "cache-control": day,
        // Public files, which a page in a sandbox loads as well.
        "access-control-allow-origin": "*",
      };
      return new Response(Bun.file(files[name]), { headers });
    },
  );
}

/** The document with what the project says of its own auth; what keys are for keeps what it says of them. */
function withDeclared(document: OpenApiDocument, declared: DeclaredSecurity | undefined): OpenApiDocument {
  if (!declared) return document;
  const components = document.components as { securitySchemes: object };
  const securitySchemes = { ...components.securitySchemes, ...declared.securitySchemes };
  return { ...document, security: declared.security, components: { ...components, securitySchemes } };
}
