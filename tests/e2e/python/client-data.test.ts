import { join } from "node:path";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { keepsClientData } from "../client-data.ts";

describeUnless(noPython)("a graph in Python", () =>
  keepsClientData("python", {
    project: join(import.meta.dir, "client-data"),
    env: { PYTHON: testPython() ?? "", EXECUTORS: "1" },
  }),
);
