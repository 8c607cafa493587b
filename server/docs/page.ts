import type { swagger } from "@elysiajs/swagger";

type ScalarConfig = NonNullable<Parameters<typeof swagger>[0]>["scalarConfig"];

// Nothing of the page may come from, or go to, another host than ours.
const contentPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
].join("; ");

/**
 * The page at `/docs`, from `@elysiajs/swagger`. Its addresses are relative, so that it also works behind the
 * gateway's prefix. The plugin is loaded on the first call: few processes are ever asked for this page.
 */
export async function docsPage(): Promise<{ html: string; headers: Record<string, string> }> {
  const { swagger: plugin } = await import("@elysiajs/swagger");
  const docs = plugin({
    path: "/docs",
    scalarCDN: "docs/scalar.js",
    scalarConfig: configuration,
    documentation: { info: { title: "Berth", version: "", description: "The API of this Berth" } },
  });
  const page = await docs.handle(new Request("http://localhost/docs"));
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy,
    "cache-control": "no-cache",
  };
  return { html: await page.text(), headers };
}

const configuration: ScalarConfig & Record<string, unknown> = {
  spec: { url: "openapi.json" },
  withDefaultFonts: false,
  hideClientButton: true,
  proxyUrl: "",
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
};
