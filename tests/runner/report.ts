import { addSkipped, reasonIn } from "./skipped.ts";
import { nothing, type Tally } from "./tally.ts";

/** What a runner's report says: the counts, and each file that holds at least one test. */
export type Report = { tally: Tally; files: Set<string> };

/** Reads the JUnit XML that `bun test` writes. */
export function readJUnit(xml: string): Report {
  const tally = nothing();
  const files = new Set<string>();
  for (const [, attributes = "", inside = ""] of xml.matchAll(
    /<testcase\b((?:[^>"]|"[^"]*")*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const file = attribute(attributes, "file");
    if (file) files.add(file);
    if (/<(?:failure|error)\b/.test(inside)) tally.failures.push(title(attributes, file));
    else if (/<skipped\b/.test(inside)) addSkipped(tally.skipped, whySkipped(attributes, file));
    else tally.passed++;
  }
  for (const [, attributes = ""] of xml.matchAll(/<testsuite\b((?:[^>"]|"[^"]*")*)>/g)) {
    const file = attribute(attributes, "file");
    // Those with another name are groups of tests within a file.
    if (file !== "" && attribute(attributes, "name") === file)
      tally.seconds[file] = Number(attribute(attributes, "time"));
  }
  return { tally, files };
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
  const tally = nothing();
  const files = new Set<string>();
  const { testResults = [] }: VitestReport = JSON.parse(json);
  for (const { name, status, message, assertionResults } of testResults) {
    if (assertionResults.length > 0) files.add(name);
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
  return { tally, files };
}
