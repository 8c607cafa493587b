import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { made, page, table } from "../docs/markdown.ts";
import type { TargetName } from "./line.ts";
import { KEPT, ROOT } from "./options.ts";
import { REASONS } from "./reasons.ts";
import { type Kept, type KeptLine, newestKept, rowOfKept } from "./record.ts";
import { judge, said, shown } from "./report.ts";

const HEAD = `# Benchmarks

After this page you know how fast Berth is, compared with what, and how to measure it on your own machine.`;

const REPEAT = `## Repeat them

\`\`\`sh
npx --yes bun@1.4.5 run bench
\`\`\`

This takes less than fifteen minutes on two cores. It prints a table with goals, keeps the figures under \`docs/benchmarks\`, and makes this page from them. The machine should have nothing else to do; the bench says so when it has.

- \`--long\` measures the lines that take longer, instead of the others: searches among 100,000 threads, the thread protocol, executors, Python, Postgres.
- \`--only echo,tokens\` measures the lines whose names begin with these words, \`--quick\` measures for a shorter time. Both keep nothing.
- \`--against COMMIT\` compares with the Berth of another commit, in pairs, and says which lines differ.
- \`--profile\` writes what takes the time.

[The bench](../tests/bench/README.md) says what each line does and how the measuring stays honest.

One run measures everything side by side, on the same graph files: **Berth**, with everything on disk; **the peer**, LangChain's in-memory development server \`@langchain/langgraph-api\` 1.5.1; and **bare**, the same graphs called in a process without a server, with an in-memory saver for threads. No server can beat bare. Ratios hold from machine to machine, absolute figures do not.`;

/** `docs/benchmarks.md`: the newest figures that are kept. */
export function benchmarksPage(): string {
  const kept = newestKept();
  if (!kept) throw new Error("docs/benchmarks has no figures: `bun run bench` measures them");
  return pageOf(kept);
}

/** Figures, and what they miss. */
export function pageOf(kept: Kept): string {
  const source = made("the newest file of `docs/benchmarks`");
  const sections = Map.groupBy(kept.lines, ({ section }) => section);
  return page(
    ...[HEAD, source, REPEAT, `## Figures\n\n${circumstances(kept)}`],
    ...[...sections].map(([name, lines]) => page(`### ${name}`, figures(lines, kept)).trimEnd()),
    ...[misses(kept), failures(kept), profiles()],
  );
}

/** Writes the page. */
export async function makePage(): Promise<void> {
  await Bun.write(join(ROOT, "docs/benchmarks.md"), benchmarksPage());
}

const dayOf = (at: string) => at.slice(0, 10);

function circumstances({ version, commit, at, machine, quiet, quick, seconds }: Kept): string {
  const { cores, model, memoryGiB, bun } = machine;
  const busy = "The machine had other work meanwhile, so take them as an order of magnitude.";
  return [
    `Version ${version}, commit ${commit}, ${dayOf(at)}: ${cores} cores of an ${model}, ${memoryGiB} GiB of memory, Bun ${bun}.`,
    `The last run took ${Math.max(1, Math.round(seconds / 60))} min.`,
    quiet ? "The machine had nothing else to do." : busy,
    quick ? "It was a quick run." : "",
    "A figure is a median; half of all rounds lie between the two in brackets.",
    "× is Berth's figure over the other's, the median of the pairs of rounds.",
  ]
    .filter(Boolean)
    .join(" ");
}

function figures(lines: KeptLine[], kept: Kept): string {
  const others = (["peer", "bare"] as const).filter((name) => lines.some((line) => line[name] !== undefined));
  const words = { peer: "Peer", bare: "Bare" };
  const head = [
    ...["What", "Berth", ...others.map((name) => words[name]), ...others.map((name) => `× ${name}`)],
    ...["Goal", ""],
  ];
  return table(
    head,
    lines.map((line) => {
      const judged = judge(rowOfKept(line));
      const ratios = { peer: judged.toPeer, bare: judged.toBare };
      return [
        titleOf(line, kept),
        ...(["berth", ...others] as const).map((name) => figure(line, name)),
        ...others.map((name) => (ratios[name] === undefined ? "" : shown(ratios[name]))),
        ...[judged.goal, said(judged)],
      ];
    }),
  );
}

/** Lines that belong to the one above begin with two spaces. A line of another day or commit says of which. */
function titleOf({ title, at, commit }: KeptLine, kept: Kept): string {
  const text = title.startsWith("  ") ? `… ${title.trim()}` : title;
  const isSame = dayOf(at) === dayOf(kept.at) && commit === kept.commit;
  return isSame ? text : `${text} (${dayOf(at)}, ${commit})`;
}

function figure(line: KeptLine, name: TargetName): string {
  const value = line[name];
  if (value === undefined) return "";
  const spread = line.spread?.[name];
  const unit = ` ${line.unit}`;
  const between =
    spread && shown(spread[0]) !== shown(spread[1]) ? ` (${shown(spread[0])}–${shown(spread[1])})` : "";
  return `${shown(value)}${unit}${between}`;
}

function misses({ lines }: Kept): string {
  const missed = lines.filter((line) => judge(rowOfKept(line)).verdict === "miss");
  const rows = missed.map((line) => {
    const judged = judge(rowOfKept(line));
    const of = line.title.startsWith("  ") ? `${parentOf(line, lines)}: ${line.title.trim()}` : line.title;
    return `- **${of}** ${said(judged)} (goal ${judged.goal}). ${REASONS[line.id] ?? ""}`.trimEnd();
  });
  const text = rows.length === 0 ? "It misses none." : rows.join("\n");
  return `## Where it misses its goals\n\n${text}`;
}

/** The title above to which an indented one belongs. */
function parentOf(line: KeptLine, lines: KeptLine[]): string {
  const above = lines.slice(0, lines.indexOf(line));
  return above.findLast(({ title }) => !title.startsWith("  "))?.title ?? "";
}

function failures({ failures }: Kept): string {
  if (failures.length === 0) return "";
  const rows = failures.map((text) => `- ${text.split("\n")[0]}`);
  return `## What could not be measured\n\n${rows.join("\n")}`;
}

function profiles(): string {
  const folder = join(KEPT, "profiles");
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  if (names.length === 0) return "";
  const rows = names.map((name) => `- [${name.replace(/\.\w+$/, "")}](benchmarks/profiles/${name})`);
  const text =
    "What takes the time, function by function, before and after: version 0.1.0 and now. `bun run bench --profile` writes them.";
  return `## Profiles\n\n${text}\n\n${rows.join("\n")}`;
}
