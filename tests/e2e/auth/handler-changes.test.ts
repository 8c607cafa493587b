import { join } from "node:path";
import { startDeclared } from "../access/walked-berth.ts";
import { testHandlerChanges } from "./handler-changes-suite.ts";

testHandlerChanges("in the front", () =>
  startDeclared({ project: join(import.meta.dir, "owners"), isKeyless: true }),
);
