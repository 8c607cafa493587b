import { brotliCompressSync, constants } from "node:zlib";
import type { Browser, CDPSession, Page } from "playwright-core";
import type { PageName } from "../job.ts";
import { installProbe, type Probe } from "./probe.ts";

/** Requests whose answers are the page itself, rather than what it shows. */
const PARTS = new Set(["Document", "Script", "Stylesheet", "Font", "Image"]);

/** `isFirst`: the document, and what it names, which a browser fetches before it draws anything. */
type Part = { bytes: number; isFirst: boolean };

const QUIET_MS = 500;

/** What somebody waits for who opens a page. */
const PAGES: Record<PageName, { path: string; usable: string }> = {
  chat: { path: "/", usable: "[data-testid=composer-text]" },
  console: { path: "/console", usable: "[data-testid=page-title]" },
  docs: { path: "/docs", usable: "[data-testid=docs-operation]" },
};

/** One visit of a page by a browser that has never been there. */
export class Visit {
  readonly #parts = new Map<string, Part>();
  readonly #named = new Set<string>();

  private constructor(
    readonly page: Page,
    private readonly devtools: CDPSession,
  ) {}

  /** Opens the page with an empty cache, and waits until it can be used. */
  static async begin(browser: Browser, url: string, name: PageName = "chat", path = ""): Promise<Visit> {
    const { path: beginning, usable } = PAGES[name];
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.addInitScript(installProbe, usable);
    const devtools = await context.newCDPSession(page);
    const visit = new Visit(page, devtools);
    await visit.#watchNetwork();
    await page.goto(url + beginning + path);
    await page.waitForFunction(() => window.benchProbe.readyAt !== undefined);
    return visit;
  }

  /** What the probe has seen so far; long tasks are told to it only a moment after they are over. */
  async probed(): Promise<Probe> {
    return await this.page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return window.benchProbe;
    });
  }

  /** Lets the probe begin anew. */
  async forget(): Promise<void> {
    await this.page.evaluate(() => {
      window.benchProbe.longTasks = [];
      window.benchProbe.frames = [];
    });
  }

  /** Bytes of the page as they came over the network, its parts that were loaded later among them. */
  get transferred(): number {
    return [...this.#parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes of the document and what it names. */
  get first(): number {
    return [...this.#parts.values()].reduce((sum, part) => sum + (part.isFirst ? part.bytes : 0), 0);
  }

  /** Resolves when nothing more of the page has come for a while. What goes on telling it news is none of it. */
  async settled(): Promise<void> {
    let before = "";
    for (;;) {
      const now = `${this.requests} ${this.transferred}`;
      if (now === before) return;
      before = now;
      await Bun.sleep(QUIET_MS);
    }
  }

  get requests(): number {
    return this.#parts.size;
  }

  /** Bytes of the same parts as the executable carries them: compressed for as long as it takes. */
  async embedded(): Promise<number> {
    let sum = 0;
    for (const requestId of this.#parts.keys()) {
      const { body, base64Encoded } = await this.devtools.send("Network.getResponseBody", { requestId });
      const bytes = Buffer.from(body, base64Encoded ? "base64" : "utf8");
      sum += brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
    }
    return sum;
  }

  /** MB of the page's objects that are in use. */
  async heapMegabytes(): Promise<number> {
    await this.devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.devtools.send("Runtime.getHeapUsage");
    return usedSize / 1e6;
  }

  end(): Promise<void> {
    return this.page.context().close();
  }

  async #watchNetwork(): Promise<void> {
    await this.devtools.send("Network.enable");
    await this.devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    this.devtools.on("Network.requestWillBeSent", ({ requestId, initiator, type }) => {
      if (type === "Document" || initiator.type === "parser") this.#named.add(requestId);
    });
    this.devtools.on("Network.responseReceived", ({ requestId, type, response }) => {
      const isData = response.url.startsWith("data:") || response.url.startsWith("blob:");
      if (!PARTS.has(type) || isData) return;
      this.#parts.set(requestId, { bytes: 0, isFirst: this.#named.has(requestId) });
    });
    this.devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const part = this.#parts.get(requestId);
      if (part) part.bytes = encodedDataLength;
    });
  }
}
