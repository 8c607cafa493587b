import { plainOrNull, plainText } from "../plain-text.ts";
import type { FindingRow } from "../schema/index.ts";

type FindingTexts = Pick<FindingRow, "error_type" | "node" | "tool" | "message" | "reason">;

/** What a finding says, as people may see it. */
export const plainFinding = ({ error_type, node, tool, message, reason }: FindingTexts): FindingTexts => ({
  error_type: plainText(error_type),
  node: plainOrNull(node),
  tool: plainOrNull(tool),
  message: plainText(message),
  reason: plainText(reason),
});
