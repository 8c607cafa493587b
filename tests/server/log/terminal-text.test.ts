import { expect, test } from "bun:test";
import { logger, startLog } from "../../../server/log/log.ts";
import { terminalText } from "../../../server/log/terminal-text.ts";

const HOSTILE = "\u001b[2J\u001b]0;owned\u0007\r\u009b31m\u0000\u007f\u202e\u0008";

test("no control character is left but line feeds and tabs", () => {
  expect(terminalText(`a\n\tb ü 😀 ${HOSTILE}`)).toBe(
    "a\n\tb ü 😀 \\x1b[2J\\x1b]0;owned\\x07\\x0d\\x9b31m\\x00\\x7f\\x202e\\x08",
  );
});

test("a line for people shows those of errors, fields and messages as text", async () => {
  let written = "";
  const write = (text: string) => {
    written += text;
  };
  startLog({ level: "info", format: "pretty", write });
  try {
    const error = Object.assign(new Error(`boom ${HOSTILE}`), { stack: `Error: boom ${HOSTILE}\n    at x` });
    logger("runs").error(`failed ${HOSTILE}`, { error, path: HOSTILE, list: [HOSTILE] });
    logger("runs").error("failed", { error: HOSTILE });
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    startLog({ level: "fatal", format: "json", write: () => undefined });
  }
  expect(written).toContain("\\x1b[2J");
  expect(written).toContain("\n    at x");
  expect(written.replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}|\u202e/u);
});
