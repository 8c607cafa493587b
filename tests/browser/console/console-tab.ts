import type { Locator, Page } from "playwright-core";
import { barriers } from "../axe.ts";
import type { Watched } from "../offline-browser.ts";

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

  /** What keeps a person from using the screen as it is now. */
  barriers(): Promise<string[]> {
    return barriers(this.page);
  }
}
