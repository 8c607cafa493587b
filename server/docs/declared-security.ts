import type { DeclaredSecurity } from "@berth/agent";
import type { OpenApiDocument } from "../http/index.ts";

/** The document with what the project says of its own auth; what keys are for keeps what it says of them. */
export function withDeclared(
  document: OpenApiDocument,
  declared: DeclaredSecurity | undefined,
): OpenApiDocument {
  if (!declared) return document;
  const components = document.components as { securitySchemes: object };
  const securitySchemes = { ...components.securitySchemes, ...declared.securitySchemes };
  return { ...document, security: declared.security, components: { ...components, securitySchemes } };
}
