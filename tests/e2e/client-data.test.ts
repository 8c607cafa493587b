import { describe } from "bun:test";
import { join } from "node:path";
import { keepsClientData } from "./client-data.ts";

describe("a graph in TypeScript", () =>
  keepsClientData("script", { project: join(import.meta.dir, "client-data") }));
