import { BuildFailed } from "./order.ts";

/**
 * Parses a JSON file of a project.
 * @throws BuildFailed it is no JSON object
 */
export function parseJsonFile(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BuildFailed(`${path} is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value)) throw new BuildFailed(`${path} must be a JSON object`);
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
