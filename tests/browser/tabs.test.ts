import { expect } from "bun:test";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

const TABS = 5;

describeInBrowser("several tabs of one browser", () => {
  const chat = servedChat({ env: { OFFLINE_TOKEN_MS: "25" } });

  chat.test(
    "five on one thread show the same, while an answer comes and after it, whoever asks",
    async (first) => {
      await first.open();
      await first.ask("hello");
      const tabs = [first];
      while (tabs.length < TABS) tabs.push(await first.another(first.path));
      const everywhere = <T>(look: (tab: ChatTab) => Promise<T>) => Promise.all(tabs.map(look));

      const asking = tabs.at(-1) ?? first;
      await asking.say("What is the weather in Lisbon?");
      await everywhere((tab) =>
        tab.page.locator("[data-testid=message-assistant][aria-busy=true]").waitFor(),
      );
      await everywhere((tab) => tab.lastText.getByText("It is 18 °C and sunny in Lisbon.").waitFor());
      await everywhere((tab) => tab.rests());
      const shown = await everywhere((tab) => tab.texts());
      expect(shown).toEqual(Array.from({ length: TABS }, () => shown[0] ?? []));
      expect(shown[0]).toHaveLength(5);

      // No connection is held but the sockets, of which there are more to be had: requests are still answered.
      await first.page.bringToFront();
      await first.part("open-history").click();
      await first.part("history-item").first().waitFor();
      await first.say("Send an email about it");
      await everywhere((tab) => tab.part("interrupt-form").waitFor());
      await asking.page.bringToFront();
      await asking.part("approve").click();
      await everywhere((tab) => tab.lastText.getByText("The email went out.").waitFor());
      await everywhere((tab) => tab.part("interrupt-form").waitFor({ state: "detached" }));
      await everywhere((tab) => tab.rests());
      const again = await everywhere((tab) => tab.texts());
      expect(again).toEqual(Array.from({ length: TABS }, () => again[0] ?? []));
    },
  );

  chat.test(
    "what is renamed in one is renamed in the other; what is deleted is gone there too",
    async (one) => {
      await one.open();
      await one.ask("Good day");
      const other = await one.another(one.path);
      await other.conversation("Good day").waitFor();
      await one.page.bringToFront();
      await one.chooseFor("Good day", "rename");
      await one.part("rename-input").fill("Greetings");
      await one.part("rename-input").press("Enter");
      await other.conversation("Greetings").waitFor();
      await one.chooseFor("Greetings", "delete");
      await one.part("confirm-delete").click();
      await other.part("thread-gone").getByText("This conversation was deleted").waitFor();
      await one.page.waitForURL(`${one.url}/`);
      await other.page.bringToFront();
      await other.page.getByRole("button", { name: "Start a new chat" }).click();
      await other.part("composer-text").waitFor();
      await other.conversation("Greetings").waitFor({ state: "detached" });
    },
  );
});
