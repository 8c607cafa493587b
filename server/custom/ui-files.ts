import type { HttpConfig, UiConfig } from "@berth/agent";

const shape = /^\/ui\/([^/]+)\/[^/]+$/;

/**
 * Whether a request is for a file of some graph's components: a page's script has no key to load it with. A path
 * that can be read as another one (`/ui/../x`) is none.
 */
export const isUiFile = (pathname: string, method: string): boolean =>
  (method === "GET" || method === "HEAD") &&
  shape.test(pathname) &&
  new URL(pathname, "http://localhost").pathname === pathname;

/** The same, of the components that a project has: its app may have routes of the same shape. */
export function uiFilesOf({
  ui,
  http,
}: {
  ui?: UiConfig | undefined;
  http?: HttpConfig | undefined;
}): typeof isUiFile {
  const graphs = http?.disabled.has("ui") ? [] : Object.keys(ui?.modules ?? {}).map(encodeURIComponent);
  return (pathname, method) => isUiFile(pathname, method) && graphs.includes(shape.exec(pathname)?.[1] ?? "");
}
