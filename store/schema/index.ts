import type { AgentServerTables } from "./agent-server.ts";
import type { ControlTables } from "./control.ts";
import type { FigureTables } from "./figures.ts";
import type { IssueTables } from "./issues.ts";
import type { RegistryTables } from "./registry.ts";
import type { TraceTables } from "./traces.ts";

export type * from "./agent-server.ts";
export type * from "./columns.ts";
export type * from "./control.ts";
export type * from "./figures.ts";
export type * from "./issues.ts";
export type * from "./registry.ts";
export type * from "./traces.ts";

/** Every table by its name. */
export type Schema = AgentServerTables &
  ControlTables &
  RegistryTables &
  TraceTables &
  IssueTables &
  FigureTables;
