import { isReservedName, type Texts } from "../../settings/index.ts";
import { NAMES } from "./connection.ts";

export type NamedSecret = { name: string; value: string };

/** What these commands themselves read: never sent, and nothing to tell about. */
const OWN = new Set<string>(
  Object.values(NAMES)
    .flat()
    .filter((name) => /^(?:BERTH_SERVICE|SERVICE|LANGGRAPH_HOST)_/.test(name)),
);

/**
 * The secrets that a project's environment makes.
 * @param ofImage whether the deployment runs an image, in which Berth sets more names itself
 * @returns those to send, and the names that are left out because the platform sets them itself
 */
export function secretsOf(
  environment: Texts,
  ofImage = false,
): { secrets: NamedSecret[]; skipped: string[] } {
  const given = Object.entries(environment).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  const candidates = given.filter(({ name }) => !OWN.has(name));
  return {
    secrets: candidates.filter(({ name }) => !isReservedName(name, ofImage)),
    skipped: candidates.filter(({ name }) => isReservedName(name, ofImage)).map(({ name }) => name),
  };
}
