import type { swagger } from "@elysiajs/swagger";

type SwaggerConfig = NonNullable<NonNullable<Parameters<typeof swagger>[0]>["swaggerOptions"]>;

// Nothing of the page may come from, or go to, another host than ours; nobody may put it into a frame.
const contentPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "frame-ancestors 'none'",
].join("; ");

const options: SwaggerConfig & Record<string, unknown> = {
  deepLinking: true,
  // Groups first: so many operations at once nobody reads, and the page would draw only those in sight.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
};

/**
 * The page at `/docs/swagger`, from `@elysiajs/swagger`. Its addresses are relative, so that it also works behind the
 * gateway's prefix. The plugin is loaded on the first call: few processes are ever asked for this page.
 */
export async function swaggerPage(): Promise<{ html: string; headers: Record<string, string> }> {
  const { swagger: plugin } = await import("@elysiajs/swagger");
  const docs = plugin({
    provider: "swagger-ui",
    version: theirVersion,
    path: "/docs",
    specPath: "../openapi.json",
    theme: "swagger-ui.css",
    autoDarkMode: false,
    swaggerOptions: options,
    documentation: { info: { title: "Berth API", version: "", description: "The API of this Berth" } },
  });
  const page = await docs.handle(new Request("http://localhost/docs"));
  const html = (await page.text()).replace(theirHost, "").replace("</head>", `${head}</head>`);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentPolicy,
    "cache-control": "no-cache",
  };
  return { html, headers };
}

// The plugin takes the style from where it is told, but the script from a public host.
const theirVersion = "0";
const theirHost = `https://unpkg.com/swagger-ui-dist@${theirVersion}/`;

/** Swagger UI has dark colours, and leaves it to the page when to show them. */
const head = `<link rel="icon" href="data:,">
<style>
  body { margin: 0; }
  html.dark-mode { color-scheme: dark; }
  .swagger-ui .info { margin: 32px 0 16px; }
  .swagger-ui .scheme-container { padding: 16px 0; }
</style>
<script>
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
</script>
`;
