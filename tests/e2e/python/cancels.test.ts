import { join } from "node:path";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { servedBerth } from "../served-berth.ts";
import { waitsForNodes } from "../stubborn-nodes.ts";

describeUnless(noPython)("a graph in Python", () =>
  waitsForNodes(
    servedBerth({
      project: join(import.meta.dir, "cancels"),
      env: { PYTHON: testPython() ?? "", EXECUTORS: "1" },
    }),
  ),
);
