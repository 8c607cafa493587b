import { expect } from "bun:test";
import { join } from "node:path";
import { until } from "../e2e/condition.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

/** Longest that a page may be busy at a time; without limits, these texts keep it busy for minutes. */
const MAX_BUSY_MS = 10_000;
const HEAVY: [name: string, text: string][] = [
  ["a formula of 120 KB", `$$\n${"x^2 + ".repeat(20_000)}y\n$$`],
  ["long runs of backticks", Array.from({ length: 600 }, (_, length) => "`".repeat(length + 1)).join(" ")],
  ["50,000 code spans", "`a` ".repeat(50_000)],
];

/** One pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describeInBrowser("what is said", () => {
  const chat = servedChat({ project: join(import.meta.dir, "project") });

  chat.test(
    "has headings in order, footnotes that lead there and back, and no refused links",
    async (tab) => {
      await tab.open();
      await tab.part("assistant-picker").selectOption({ label: "echo" });
      await tab.ask(
        "### Third\n\nA claim.[^a] [bad](javascript:alert(1)) [good](https://example.org/)\n\n## Second\n\n[^a]: The source.",
      );
      const answer = tab.answers.last();
      await until(
        "all headings, each below the one before",
        () => answer.locator("h2, h3, h4, h5").evaluateAll((all) => all.map(({ tagName }) => tagName)),
        (levels) => levels.join() === "H2,H3,H3,H3",
      );
      expect(await answer.locator("a", { hasText: "bad" }).count()).toBe(0);
      expect(await answer.getByText("bad", { exact: true }).getAttribute("title")).toContain("not safe");
      expect(await answer.locator("a", { hasText: "good" }).getAttribute("target")).toBe("_blank");
      const { url } = { url: tab.page.url() };
      await answer.locator("sup a").click();
      await tab.page.waitForFunction(() => document.activeElement?.hasAttribute("data-footnote-backref"));
      await tab.page.keyboard.press("Enter");
      await tab.page.waitForFunction(() => document.activeElement?.hasAttribute("data-footnote-ref"));
      expect(tab.page.url()).toBe(url);
    },
  );

  chat.test("shows a picture of elsewhere when it is asked to, and not before", async (tab) => {
    let asked = 0;
    await tab.page.route("https://pictures.example/**", (route) => {
      asked += 1;
      return route.fulfill({ contentType: "image/png", body: PICTURE });
    });
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "echo" });
    await tab.ask("![a quay](https://pictures.example/quay.png)");
    expect(await tab.part("show-picture").textContent()).toContain("from pictures.example");
    expect(asked).toBe(0);
    await tab.part("show-picture").click();
    await tab.page.waitForFunction(
      () => document.querySelector<HTMLImageElement>("img[alt='a quay']")?.naturalWidth,
    );
    expect(asked).toBe(1);
  });

  chat.test("shows a picture of a deployment when it is asked to, and not before", async (tab) => {
    let asked = 0;
    await tab.page.route("**/d/some-deployment/**", (route) => {
      asked += 1;
      return route.fulfill({ contentType: "image/png", body: PICTURE });
    });
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "echo" });
    await tab.ask("![a quay](/d/some-deployment/quay.png)");
    await tab.part("show-picture").waitFor();
    expect(asked).toBe(0);
    await tab.part("show-picture").click();
    await tab.page.waitForFunction(
      () => document.querySelector<HTMLImageElement>("img[alt='a quay']")?.naturalWidth,
    );
    expect(asked).toBe(1);
  });

  chat.test("has its formulas typeset, and its prices left alone", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "echo" });
    await tab.ask("It costs $5 and $6. \\(a^2\\) and $b_1$:\n\n$$\n\\frac{1}{2}\n$$\n\nand $\\nonsense{$");
    const answer = tab.answers.last();
    await answer.locator("math").nth(2).waitFor();
    expect(await answer.locator("math[display=block] mfrac").count()).toBe(1);
    expect(await answer.locator("msup").count()).toBe(1);
    expect(await answer.textContent()).toContain("It costs $5 and $6.");
    expect(await answer.locator(".md-formula code").textContent()).toBe("\\nonsense{");
  });

  for (const [name, text] of HEAVY)
    chat.test(`does not freeze the page: ${name}`, async (tab) => {
      await tab.page.addInitScript(() => {
        const busy: number[] = [];
        Object.assign(window, { busy });
        const record = (list: PerformanceObserverEntryList) => {
          for (const { duration } of list.getEntries()) busy.push(duration);
        };
        new PerformanceObserver(record).observe({ type: "longtask", buffered: true });
      });
      await tab.open();
      await tab.part("assistant-picker").selectOption({ label: "echo" });
      await tab.ask(text);
      await tab.answers.last().getByText("Too long to format").first().waitFor();
      const busiest = await tab.page.evaluate(() =>
        Math.max(0, ...(window as unknown as { busy: number[] }).busy),
      );
      expect(busiest).toBeLessThan(MAX_BUSY_MS);
    });

  chat.test("is folded when it is long, and may have a PDF with it", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "echo" });
    const log = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
    await tab.part("attach-input").setInputFiles({
      name: "terms.pdf",
      mimeType: "application/pdf",
      buffer: Buffer.from("%PDF-1.4 a test"),
    });
    await tab.part("attachment").getByText("terms.pdf").waitFor();
    await tab.ask(log);
    const bubble = tab.part("message-user").locator(".bubble");
    expect(await bubble.textContent()).not.toContain("line 59");
    await tab.part("fold").click();
    expect(await bubble.textContent()).toContain("line 59");
    await tab.page.reload();
    await bubble.getByText("terms.pdf").waitFor();
    const [said] = await tab.stored();
    expect(said?.content).toMatchObject([
      { type: "text" },
      {
        type: "file",
        source_type: "base64",
        mime_type: "application/pdf",
        data: Buffer.from("%PDF-1.4 a test").toString("base64"),
        metadata: { filename: "terms.pdf" },
      },
    ]);
  });
});
