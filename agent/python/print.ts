/** What is known of the code that printed a line. */
export type LineFacts = { run?: string; thread?: string; graph?: string; node?: string };

let facts: LineFacts = {};

/** Prints a line of a worker on the console, as code in JavaScript does; the log reads {@link printedFacts}. */
export function printLine(line: string, known: LineFacts, level: "log" | "warn" = "log"): void {
  facts = known;
  try {
    console[level](line);
  } finally {
    facts = {};
  }
}

/** Facts of the line that is being printed; empty for a line that no worker printed. */
export const printedFacts = (): LineFacts => facts;
