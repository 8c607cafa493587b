// `bun tests/e2e/access/table.ts`: writes the table of access anew from what the operations declare. A test compares it.
import { join } from "node:path";
import { CALLERS, type Declared, outcomeOf } from "./outcomes.ts";
import { declaredBy, startDeclared } from "./walked-berth.ts";

export const TABLE = join(import.meta.dir, "table.md");

const MARK = { in: "yes", 401: "401", 403: "403" } as const;
const HEAD = [
  "Operation",
  "Plane",
  "Asks",
  "Pages",
  "Workspace",
  "Project's auth",
  "Body",
  "Unknown fields",
  ...CALLERS,
];

/** Every operation with who may call it, a row each: a change of access is seen in a diff. */
export function tableOf(operations: readonly Declared[]): string {
  const rows = operations.map((declared) => [
    `\`${declared.method} ${declared.path}\``,
    declared.plane,
    declared.asks,
    declared.origins,
    declared.tenant,
    declared.owner === "instance" ? "not asked" : (declared.rule ?? "closed"),
    String(declared.bodyLimit),
    declared.unknownFields ?? "–",
    ...CALLERS.map((who) => {
      const outcome = outcomeOf(declared, who);
      return outcome === undefined ? "–" : MARK[outcome];
    }),
  ]);
  const widths = HEAD.map((name, at) =>
    Math.max(name.length, ...rows.map((cells) => cells[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [
    "# Who may call what",
    "",
    "Made from the declarations by `bun tests/e2e/access/table.ts`; `walk.test.ts` compares it with what a Berth answers.",
    "`yes`: the operation itself answers. `–`: the process of that caller has no such operation, or no schema describes the body.",
    "",
    line(HEAD),
    line(widths.map((width) => "-".repeat(width))),
    ...rows.map(line),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const whole = await startDeclared({});
  const deployed = await startDeclared({ isDeployed: true });
  await Bun.write(TABLE, tableOf(declaredBy(whole, deployed)));
  await Promise.all([whole.stop(), deployed.stop()]);
}
