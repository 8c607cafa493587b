import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { servedBerth } from "../served-berth.ts";

const SCRIPT = join(import.meta.dir, "python_sdk.py");
const python = ["python3", "python"].find((name) => {
  if (!Bun.which(name)) return false;
  return Bun.spawnSync([name, "-c", "import langgraph_sdk"]).exitCode === 0;
});
if (!python) {
  console.log("skipped: no langgraph-sdk in Python; tests/e2e/python-wire.test.ts sends what it would send");
}

describe.skipIf(!python)("the official Python client", () => {
  const berth = servedBerth();

  test("finds, talks, schedules and remembers", async () => {
    const child = Bun.spawn([python ?? "", SCRIPT, berth.url], { stdio: ["ignore", "pipe", "pipe"] });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(err);
    const areas = ["assistants", "threads", "runs", "crons", "store"];
    expect(out.trim().split("\n")).toEqual(areas.map((area) => `${area}: ok`));
  });
});
