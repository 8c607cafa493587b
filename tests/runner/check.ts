// `bun run check`: format, lint, types and architecture, side by side; all of it in under 30 s.
import { join } from "node:path";
import { ROOT } from "./run.ts";

const bin = (...parts: string[]) => join(ROOT, "node_modules", ...parts);

const checks = [
  {
    name: "format and lint",
    command: [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings"],
  },
  { name: "types", command: [bin("typescript", "bin", "tsc"), "--noEmit"] },
  { name: "architecture", command: ["test", "--only-failures", "./tests/architecture"] },
];

const results = await Promise.all(
  checks.map(async ({ name, command }) => {
    const startedAt = performance.now();
    const child = Bun.spawn([process.execPath, ...command], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      `${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)${code === 0 ? "" : `\n${out}${err}`}`,
    );
    return code;
  }),
);
process.exit(results.every((code) => code === 0) ? 0 : 1);
