import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults, ElementContext, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

declare global {
  interface Window {
    axe?: { run(context: ElementContext, options: RunOptions): Promise<AxeResults> };
  }
}

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const GRAVE = new Set<unknown>(["serious", "critical"]);

/**
 * What on the page keeps a person from using it, each as a line with the rule and the elements.
 * @param rules only these; otherwise all of axe's
 */
export async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  // Evaluated, not added as a script: the page's content policy lets no script of others in.
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(SOURCE);
  // What fades in has no contrast yet.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const options: RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const results = await page.evaluate((options) => window.axe?.run(document, options), options);
  if (!results) throw new Error("axe is not on the page");
  return results.violations
    .filter(({ impact }) => GRAVE.has(impact))
    .map(
      ({ id, help, nodes }) =>
        `${id} (${help}): ${nodes.map((node) => `${node.target.join(" ")} — ${node.failureSummary?.replace(/\s+/g, " ")}`).join("; ")}`,
    );
}
