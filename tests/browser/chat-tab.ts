import type { Locator, Page } from "playwright-core";
import type { Watched } from "./offline-browser.ts";

/** The messages of a thread's newest state, as far as tests look at them. */
export type StoredMessage = {
  type: string;
  content: string | { type: string; text?: string; image_url?: { url: string } }[];
  tool_calls?: unknown[];
};

/** A tab with the chat in it, and what a person does with one. */
export class ChatTab {
  readonly page: Page;
  /** What went wrong in this tab and in others of its browser. */
  readonly troubles: string[];

  constructor(
    watched: Watched,
    readonly url: string,
  ) {
    this.page = watched.page;
    this.troubles = watched.troubles;
  }

  /** Goes to an address of the chat, and waits until a message can be written there. */
  async open(path = "/"): Promise<void> {
    await this.page.goto(this.url + path);
    await this.part("composer-text").waitFor();
  }

  /** Another tab of the same browser. */
  async another(path = "/"): Promise<ChatTab> {
    const page = await this.page.context().newPage();
    const tab = new ChatTab({ page, troubles: this.troubles }, this.url);
    await tab.open(path);
    return tab;
  }

  part(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  async say(text: string): Promise<void> {
    await this.part("composer-text").fill(text);
    await this.part("composer-text").press("Enter");
  }

  /** Says something and waits for the end of its run. */
  async ask(text: string): Promise<void> {
    const answered = await this.answers.count();
    await this.say(text);
    await this.answers.nth(answered).waitFor();
    await this.rests();
  }

  /** Waits until nothing runs. */
  async rests(): Promise<void> {
    await this.part("stop").waitFor({ state: "detached" });
    await this.page.locator("[data-testid=message-assistant][aria-busy=true]").waitFor({ state: "detached" });
  }

  /** A conversation in the list, by its title. */
  conversation(title: string): Locator {
    return this.part("thread-item").filter({ has: this.page.getByTitle(title, { exact: true }) });
  }

  /** Opens the menu of a conversation in the list, and chooses from it. */
  async chooseFor(title: string, action: "rename" | "delete"): Promise<void> {
    const item = this.conversation(title);
    await item.hover();
    await item.getByTestId("thread-menu").click();
    await item.getByTestId(action).click();
  }

  get answers(): Locator {
    return this.part("message-assistant");
  }

  /** What a model said in the newest answer, behind the last of its tool calls. */
  get lastText(): Locator {
    return this.answers.last().locator(".md").last();
  }

  /** What the people and the models said, in order. */
  texts(): Promise<string[]> {
    const messages = this.page.locator(
      "[data-testid=message-user] .bubble, [data-testid=message-assistant] .md",
    );
    // A page in the background does not lay out what it need not show; its text is there all the same.
    return messages.evaluateAll((shown) =>
      shown.map((one) => {
        // biome-ignore lint/performance/useDomNodeTextContent: lines are read as they are seen
        const seen = (one as HTMLElement).innerText;
        return seen || (one.textContent ?? "");
      }),
    );
  }

  get threadId(): string {
    const id = /\/chat\/([0-9a-f-]{36})/.exec(this.page.url())?.[1];
    if (!id) throw new Error(`no thread is named in ${this.page.url()}`);
    return id;
  }

  get path(): string {
    return `/chat/${this.threadId}`;
  }

  /** The messages of the thread, as the server has stored them. */
  async stored(): Promise<StoredMessage[]> {
    const state: { values: { messages?: StoredMessage[] } } = await this.get(
      `/api/threads/${this.threadId}/state`,
    );
    return state.values.messages ?? [];
  }

  /** The server's answer, asked for outside of the browser. */
  async get<T>(path: string): Promise<T> {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
