import type { Locator, Page } from "playwright-core";
import { barriers } from "../axe.ts";
import type { Watched } from "../offline-browser.ts";

/** After so many, focus has been everywhere: behind the last part, it begins anew at the browser's own. */
const MOST_TABS = 200;

/** A tab with the console, as a person uses it. */
export class ConsoleTab {
  readonly page: Page;
  readonly troubles: string[];
  readonly #url: string;

  constructor({ page, troubles }: Watched, url: string) {
    this.page = page;
    this.troubles = troubles;
    this.#url = url;
  }

  /** Opens an address below `/console`, and waits for its screen. */
  async open(path = ""): Promise<void> {
    await this.page.goto(`${this.#url}/console${path}`);
    await this.part("page-title").waitFor();
  }

  part(name: string): Locator {
    return this.page.getByTestId(name);
  }

  /** The row of a table in which a text stands. */
  row(text: string | RegExp): Locator {
    return this.part("table-row").filter({ hasText: text });
  }

  /** The address below `/console`, with its query. */
  get place(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname.replace(/^.*?\/console/, "") + search;
  }

  /** Goes to a part by Tab alone, as somebody without a pointer does; a part behind the focus by Shift+Tab. */
  async reach(part: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const wanted = part.first();
    await wanted.waitFor();
    for (let pressed = 0; pressed < MOST_TABS; pressed++) {
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press(key);
    }
    throw new Error(`${part} cannot be reached with ${key}`);
  }

  /** Reaches a part, and presses a key there. */
  async press(part: Locator, key = "Enter"): Promise<void> {
    await this.reach(part);
    await this.page.keyboard.press(key);
  }

  /** How many pixels the screen is wider than the window. */
  beyond(): Promise<number> {
    return this.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  }

  /** What keeps a person from using the screen as it is now. */
  barriers(): Promise<string[]> {
    return barriers(this.page);
  }
}
