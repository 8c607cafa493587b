import { addSkipped, reasonIn } from "./skipped.ts";
import { nothing, type Tally } from "./tally.ts";

/** What one file counted, and how long it took (s) where the report tells. */
export type FileTally = Tally & { seconds?: number };

/** What a runner's report says of each file that has a test, or failed without one. */
export type Report = Map<string, FileTally>;

/** Reads the JUnit XML that `bun test` writes. */
export function readJUnit(xml: string): Report {
  const report: Report = new Map();
  for (const [, attributes = "", inside = ""] of xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const file = attribute(attributes, "file");
    const tally = tallyOf(report, file);
    if (/<(?:failure|error)\b/.test(inside)) tally.failures.push(title(attributes, file));
    else if (/<skipped\b/.test(inside)) addSkipped(tally.skipped, whySkipped(attributes, file));
    else tally.passed++;
  }
  for (const [, attributes = ""] of xml.matchAll(/<testsuite\b((?:[^>"]|"[^"]*")*)>/g)) {
    const file = attribute(attributes, "file");
    const tally = report.get(file);
    // Those with another name are groups of tests within a file.
    if (tally && attribute(attributes, "name") === file)
      tally.seconds = Number(attribute(attributes, "time"));
  }
  return report;
}

function tallyOf(report: Report, file: string): FileTally {
  const tally = report.get(file) ?? nothing();
  report.set(file, tally);
  return tally;
}

function whySkipped(attributes: string, file: string): string {
  const names = [attribute(attributes, "name"), attribute(attributes, "classname")];
  return reasonIn(names.join(" > "), file);
}

function title(attributes: string, file: string): string {
  const parts = [file, attribute(attributes, "classname"), attribute(attributes, "name")];
  return parts.filter((part) => part !== "").join(" > ");
}

function attribute(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  return found
    .replace(/&(lt|gt|quot|apos|#10);/g, (_, entity: keyof typeof ENTITIES) => ENTITIES[entity])
    .replaceAll("&amp;", "&");
}

const ENTITIES = { lt: "<", gt: ">", quot: '"', apos: "'", "#10": " " };

type VitestReport = {
  testResults?: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
};

/**
 * Reads what vitest's json reporter writes. It prints nothing
 * itself, so that each failure comes with its message. A file that failed without a failed test counts as one.
 */
export function readVitest(json: string): Report {
  const report: Report = new Map();
  const { testResults = [] }: VitestReport = JSON.parse(json);
  for (const { name, status, message, assertionResults } of testResults) {
    if (assertionResults.length === 0 && status !== "failed") continue;
    const tally = tallyOf(report, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    tally.failures.push(
      ...failed.map(({ fullName, failureMessages = [] }) => [fullName, ...failureMessages].join("\n")),
    );
    if (status === "failed" && failed.length === 0) tally.failures.push(`${name}: ${message ?? "failed"}`);
    tally.passed += assertionResults.filter((test) => test.status === "passed").length;
    for (const test of assertionResults.filter(({ status }) => !["failed", "passed"].includes(status)))
      addSkipped(
        tally.skipped,
        status === "failed" ? `${name} failed before them` : reasonIn(test.fullName, name),
      );
  }
  return report;
}

/** The files that took longest, a line each: where a run can become shorter. */
export function slowestLines(seconds: readonly [file: string, seconds: number][], most: number): string[] {
  const slowest = seconds.toSorted(([, one], [, other]) => other - one);
  return slowest.slice(0, most).map(([file, took]) => `${Math.round(took).toString().padStart(5)} s ${file}`);
}
