import type { Page } from "playwright-core";

declare global {
  interface Window {
    /** What the answers on the page said, in order, at each moment at which that was new. */
    shownAnswers: string[][];
  }
}

/** Watches what is on the page from its next load on, so that nothing that is shown only for a moment is missed. */
export async function watchAnswers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shownAnswers = [];
    let before = "[]";
    const look = () => {
      const shown = [...document.querySelectorAll("[data-testid=message-assistant]")].map((answer) =>
        [...answer.querySelectorAll(".md")].map((part) => part.textContent ?? "").join("\n"),
      );
      const now = JSON.stringify(shown);
      if (now !== before) window.shownAnswers.push(shown);
      before = now;
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  });
}

/** Everything that was on the page since it was loaded. */
export function shownAnswers(page: Page): Promise<string[][]> {
  return page.evaluate(() => window.shownAnswers);
}
