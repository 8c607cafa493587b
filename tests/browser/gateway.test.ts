import { beforeAll, expect } from "bun:test";
import { knownUsers } from "../e2e/auth/known-users.ts";
import { DeploymentApi } from "../e2e/deployment-api.ts";
import { present } from "../e2e/stream-parts.ts";
import { ChatTab } from "./chat-tab.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

const KEY = "the-key-of-this-test";

describeInBrowser("the chat of a deployment", () => {
  const chat = servedChat({ env: { SERVICE_API_KEY: KEY } });
  const api = new DeploymentApi(() => chat.url, KEY);
  let address: string;
  let name: string;
  beforeAll(async () => {
    const { id, name: given, latest_revision_id, source_config } = await api.fromTemplate("chat");
    name = given;
    expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
    address = source_config.custom_url;
  });

  const signInAt = async (tab: ChatTab) => {
    await tab.page.goto(`${tab.url}/`);
    await tab.part("sign-in-key").fill(KEY);
    await tab.part("sign-in-submit").click();
    await tab.part("composer-text").waitFor();
  };
  const signIn = async (tab: ChatTab, path: string) => {
    await tab.page.goto(address + path);
    await tab.part("sign-in-key").fill(KEY);
    await tab.part("sign-in-submit").click();
    await tab.part("composer-text").waitFor();
  };

  chat.test("signs in, talks, and is found again under its address", async (first) => {
    const tab = new ChatTab(first, address);
    // Without the slash, as people type it.
    await signIn(tab, "");
    await tab.ask("hello");
    await tab.lastText.getByText("hello").waitFor();
    expect(await tab.part("deployment-name").textContent()).toBe(name);
    const runs = await fetch(`${address}/threads/${tab.threadId}/runs`, { headers: { "x-api-key": KEY } });
    const [{ run_id }] = (await runs.json()) as [{ run_id: string }];
    expect(await tab.part("open-trace").getAttribute("href")).toBe(`/console/traces/${run_id}`);
    const { pathname } = new URL(tab.page.url());
    const prefix = new URL(address).pathname;
    expect(pathname).toMatch(new RegExp(`^${prefix}/chat/[0-9a-f-]{36}$`));
    await tab.page.reload();
    await tab.lastText.getByText("hello").waitFor();
    await tab.ask("weather");
    await tab.page.getByTestId("thread-item").first().waitFor();
    // Berth's own project has threads of its own, and the sign-in is good for both.
    const own = new ChatTab({ page: tab.page, troubles: tab.troubles }, chat.url);
    await own.open();
    expect(await own.page.getByTestId("thread-item").count()).toBe(0);
    await tab.open(pathname.slice(prefix.length));
    await tab.part("sign-out").click();
    await tab.part("sign-in-key").waitFor();
    expect(new URL(tab.page.url()).pathname).toStartWith(`${prefix}/`);
  });

  chat.test("talks by what every Agent Server has, where there is no thread app", async (first) => {
    const { id, latest_revision_id, source_config } = await api.fromTemplate("plain", "deep-agent");
    expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
    const tab = new ChatTab(first, source_config.custom_url);
    await tab.page.route(/\/api\/(?!session)/, (route) => route.fulfill({ status: 404, json: {} }));
    await signInAt(tab);
    await tab.ask("weather in Rome");
    await tab.part("server-note").waitFor();
    const before = await tab.texts();
    await tab.part("regenerate").click();
    await tab.part("branch-label").getByText("2/2").waitFor();
    await tab.rests();
    expect((await tab.texts())[0]).toBe(before[0] as string);
    await tab.page.reload();
    await tab.part("branch-label").getByText("2/2").waitFor();
    await api.delete(id);
    tab.troubles.splice(0);
  });

  chat.test("says so when its deployment is deleted", async (first) => {
    const { id, latest_revision_id, source_config } = await api.fromTemplate("soon-gone");
    expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
    const tab = new ChatTab(first, source_config.custom_url);
    await signInAt(tab);
    await tab.ask("hello");
    await api.delete(id);
    await tab.part("deployment-gone").getByText("Deployment not found").waitFor();
    // What the page asked for meanwhile was not there any more.
    tab.troubles.length = 0;
  });

  chat.test(
    "signs the users of a project in that knows them itself, and the owner of a key",
    async (first) => {
      const { id } = await api.fromSource("known");
      const revision = await api.push(id, await knownUsers());
      expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
      const tab = new ChatTab(first, `${chat.url}/d/${id}`);
      const { page } = tab;
      await page.goto(`${chat.url}/d/${id}/`);
      await page.getByLabel("Token").fill("nobody");
      await tab.part("sign-in-submit").click();
      await page.getByText("This token is not valid").waitFor();
      await tab.part("sign-in-key").fill("ada");
      await tab.part("sign-in-submit").click();
      await tab.part("composer-text").waitFor();
      // No other deployment, and nothing of Berth's own, hears of it.
      expect(await page.context().cookies()).toMatchObject([
        { name: "berth_user", path: `/d/${id}`, httpOnly: true, sameSite: "Strict" },
      ]);
      const answer = (path: string) =>
        page.evaluate(
          (path) => fetch(path, { method: "POST", body: "{}" }).then(({ status }) => status),
          path,
        );
      expect(await answer(`/d/${id}/threads/search`)).toBe(200);
      expect(await answer("/threads/search")).toBe(401);
      await page.reload();
      await tab.part("composer-text").waitFor();
      await tab.part("sign-out").click();
      await tab.part("sign-in-key").fill(KEY);
      await tab.part("sign-in-submit").click();
      await tab.part("composer-text").waitFor();
      expect(await page.context().cookies()).toMatchObject([{ name: "berth_session" }]);
      await tab.part("sign-out").click();
      await tab.part("sign-in-key").waitFor();
      await api.delete(id);
      // The assistant's own schemas are not hers to see, and the page asked.
      const others = first.troubles.filter((trouble) => !/status of 404.*\/schemas\)$/.test(trouble));
      first.troubles.splice(0, first.troubles.length, ...others);
    },
  );

  chat.test("has the reference of its API, which can be tried out", async (first) => {
    const tab = new ChatTab(first, address);
    await signIn(tab, "/");
    const link = present(await tab.page.getByRole("link", { name: "API reference" }).getAttribute("href"));
    expect(link).toBe(`${new URL(address).pathname}/docs`);
    const { page } = tab;
    await page.goto(`${address}/docs`);
    const info = page.locator("[id=get_info]");
    await info.getByRole("button").first().click();
    expect(await info.getByTestId("docs-curl").textContent()).toContain(`'${address}/info'`);
    // The page is in a sandbox: it has no sign-in, at its deployment or at Berth's own API.
    await info.getByTestId("docs-send").click();
    await info.getByTestId("docs-answer").getByText("401").waitFor();
    const statusOf = (path: string) =>
      page.evaluate(
        (path) =>
          fetch(path, { credentials: "include" }).then(
            ({ status }) => status,
            () => "blocked",
          ),
        path,
      );
    expect(await statusOf(`${chat.url}/v1/keys`)).not.toBe(200);
    expect(await statusOf(`${address}/info`)).not.toBe(200);
    await page.getByTestId("docs-key").fill(KEY);
    await info.getByTestId("docs-send").click();
    await info.getByTestId("docs-answer").getByText("langgraph_js_version").waitFor();
    // The same in Swagger UI.
    await page.goto(`${address}/docs/swagger`);
    await page.locator(".opblock-tag").first().waitFor();
    // What the browser says of the requests that were refused.
    tab.troubles.splice(0);
  });
});
