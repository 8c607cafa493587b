import type { UiConfig } from "@berth/agent";
import { NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer, componentFile } from "../access/index.ts";
import { anybody } from "../authorization/index.ts";
import { bundleUi, type UiBundle, uiGlobal } from "../components/index.ts";
import { type AddressSettings, baseAddress, type Operation, operation } from "../http/index.ts";

type UiRoutesDeps = AddressSettings & { ui: UiConfig | undefined };

const tag = "Generative UI";
const CSS = "entrypoint.css";

/** `/ui`: components that graphs draw in the pages of their clients (`agent-server.md` §14). */
export function uiRoutes({ ui, ...address }: UiRoutesDeps): Operation[] {
  const bundles = new Map<string, Promise<UiBundle | undefined>>();
  const bundleOf = async (graph: string): Promise<UiBundle> => {
    const known = ui && (bundles.get(graph) ?? bundleUi(ui, graph));
    if (known) bundles.set(graph, known);
    // One that fails is tried again the next time it is asked for.
    known?.catch(() => bundles.delete(graph));
    const bundle = await known;
    if (!bundle) throw new NotFound(`The graph "${graph}" has no components`);
    return bundle;
  };
  return [element(bundleOf, address), file(bundleOf, filesOf(ui))];
}

type BundleOf = (graph: string) => Promise<UiBundle>;

const element = (bundleOf: BundleOf, address: AddressSettings) =>
  operation(
    {
      method: "POST",
      path: "/ui/:graph_id",
      access: agentServer(anybody),
      bodyLimit: "process",
      tag,
      summary: "Get the HTML that draws a component",
      description:
        "The page loads the graph's components and shows one of them in the place that the client has for it.",
      params: Type.Object({ graph_id: Type.String() }),
      body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
      answers: {
        200: { description: "The HTML", mediaType: "text/html" },
        404: "The graph has no components",
      },
    },
    async ({ path: { graph_id }, body, request }) => {
      const { files } = await bundleOf(graph_id);
      const base = `${baseAddress(request, address)}/ui/${encodeURIComponent(graph_id)}`;
      const style = files.has(CSS) ? `<link rel="stylesheet" href="${escaped(`${base}/${CSS}`)}" />` : "";
      const call = `${uiGlobal(graph_id)}.render(${JSON.stringify(body.name)}, "{{shadowRootId}}")`;
      const script = `<script src="${escaped(`${base}/entrypoint.js`)}" onload='${quoted(call)}'></script>`;
      return new Response(style + script, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  );

const file = (bundleOf: BundleOf, has: HasFile) =>
  operation(
    {
      method: "GET",
      path: "/ui/:graph_id/:file",
      access: componentFile(anybody, has),
      bodyLimit: "none",
      tag,
      summary: "Get a file of a graph's components",
      params: Type.Object({ graph_id: Type.String(), file: Type.String() }),
      query: Type.Object({
        color_scheme: Type.Optional(
          Type.Union([Type.Literal("light"), Type.Literal("dark")], {
            description:
              "For the stylesheet: the value of `prefers-color-scheme`, if the page has its own theme",
          }),
        ),
      }),
      answers: { 200: { description: "The file", mediaType: "text/javascript" }, 404: "No such file" },
    },
    async ({ path, query: { color_scheme } }) => {
      const found = (await bundleOf(path.graph_id)).files.get(path.file);
      if (!found) throw new NotFound("No such file");
      const isThemed = color_scheme !== undefined && path.file === CSS;
      return new Response(isThemed ? inScheme(await found.body.text(), color_scheme) : found.body, {
        headers: { "content-type": found.type, "cache-control": "no-cache" },
      });
    },
  );

/** The stylesheet with the question for the reader's preference answered. */
const inScheme = (css: string, scheme: "light" | "dark") =>
  css.replaceAll(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/g, (_, asked) =>
    asked === scheme ? "(min-width:0px)" : "(min-width:999999px)",
  );

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const quoted = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("'", "&#39;").replaceAll("<", "&lt;");

/** Whether the parameters of a path name a file of some graph's components. */
type HasFile = (params: Readonly<Record<string, string>>) => boolean;

/** Of the components that a project has: its app may have routes of the same shape. */
function filesOf(ui: UiConfig | undefined): HasFile {
  const graphs = new Set(Object.keys(ui?.modules ?? {}).map(encodeURIComponent));
  return (params) => graphs.has(params.graph_id ?? "") && isPlainFile(params);
}

/** A path that can be read as another one (`/ui/../x`) is no file of any components. */
export const isPlainFile: HasFile = ({ graph_id = "", file = "" }) => {
  const path = `/ui/${graph_id}/${file}`;
  return new URL(path, "http://localhost").pathname === path;
};
