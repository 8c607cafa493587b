import { join } from "node:path";
import { noPython, testPython } from "../../python-here.ts";
import { start } from "../berth-process.ts";
import { testHandlerChanges } from "./handler-changes-suite.ts";

testHandlerChanges("in an executor", () => start({ project: join(import.meta.dir, "owners") }));

testHandlerChanges(
  "in Python",
  () => start({ project: join(import.meta.dir, "owners-python"), env: { PYTHON: testPython() ?? "" } }),
  noPython,
);
