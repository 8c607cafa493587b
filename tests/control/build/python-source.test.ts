import { expect, test } from "bun:test";
import { readPythonSource } from "../../../server/control/build/python-source.ts";

test.each([
  ["dependencies", { dependencies: ["../elsewhere"] }, "../elsewhere"],
  ["pip_config_file", { pip_config_file: "../pip.conf" }, "../pip.conf"],
])("%s may not lead out of the source, and the error names the key", async (key, config, name) => {
  const reading = readPythonSource(import.meta.dir, import.meta.dir, { dependencies: [], ...config });
  await expect(reading).rejects.toThrow(`${key}: ${name} is not in the source`);
});
