import type { UiConfig } from "@berth/agent";

/** Whether the parameters of a path name a file of some graph's components. */
export type HasFile = (params: Readonly<Record<string, string>>) => boolean;

/** Of the components that a project has: its app may have routes of the same shape. */
export function filesOf(ui: UiConfig | undefined): HasFile {
  const graphs = new Set(Object.keys(ui?.modules ?? {}).map(encodeURIComponent));
  return (params) => graphs.has(params.graph_id ?? "") && isPlainFile(params);
}

/** A path that can be read as another one (`/ui/../x`) is no file of any components. */
export const isPlainFile: HasFile = ({ graph_id = "", file = "" }) => {
  const path = `/ui/${graph_id}/${file}`;
  return new URL(path, "http://localhost").pathname === path;
};
