import { describe, expect, test } from "bun:test";
import { chatRequest, chatText, chatVerdict } from "../../../server/delivery/chat.ts";
import type { ReceiverAnswer } from "../../../server/delivery/verdict.ts";

const issue = {
  name: "search <orders> & more",
  description: "It fails.",
  severity: 1,
  session_name: "shop",
  url: "https://berth.example.com/console/issues/1",
};
const event = (type: string, object: object, trace?: object) =>
  JSON.stringify({ id: "1", type, created: 1, request_id: "2", data: { object, ...(trace && { trace }) } });
const created = event("issue.created", issue);
const bodyOf = (request: { body: Uint8Array } | undefined) =>
  JSON.parse(new TextDecoder().decode(request?.body));
const link = "<https://berth.example.com/console/issues/1|Open it in Berth>";

describe("a message", () => {
  test("of a new issue says what, where and how severe, and links to it", () =>
    expect(chatText([created])).toBe(
      `New issue (high) in shop: *search &lt;orders&gt; &amp; more*\nIt fails.\n${link}`,
    ));

  test("of another trace names the run", () =>
    expect(
      chatText([
        event("issue.trace.added", issue, {
          run_id: "r",
          trace_id: "t",
          start_time: "2026-01-01T00:00:00.000Z",
        }),
      ]),
    ).toBe(
      `Seen again in shop (high): *search &lt;orders&gt; &amp; more*\nRun r of 2026-01-01T00:00:00.000Z\n${link}`,
    ));

  test("of a fixed issue that came back says that, by itself", () => {
    const trace = { run_id: "r", trace_id: "t", start_time: "2026-01-01T00:00:00.000Z" };
    const { data, ...envelope } = JSON.parse(event("issue.trace.added", issue, trace));
    const regression = { count: 2, regressed_at: "2026-01-01T00:00:00.000Z", revision_number: 7 };
    const back = JSON.stringify({ ...envelope, data: { ...data, regression } });
    const again = event("issue.trace.added", issue, trace);
    expect(chatText([back, again, again]).split("\n")).toEqual([
      "Regression in shop (high): *search &lt;orders&gt; &amp; more*",
      "It was closed as fixed and came back, on revision 7 (2 times by now)",
      "Run r of 2026-01-01T00:00:00.000Z",
      link,
      "",
      "Seen again in shop (high): *search &lt;orders&gt; &amp; more*",
      "Run r of 2026-01-01T00:00:00.000Z",
      "1 more of this",
      link,
    ]);
  });

  test("has nothing that a reader does not see", () => {
    const odd = { ...issue, name: "\u001b[31mred\u202e", description: "a\u200bb\u0007" };
    const text = chatText([event("issue.created", odd)]);
    expect(text).toBe(`New issue (high) in shop: *red*\nab\n${link}`);
  });

  test("of a failed scan says why, if that is known", () => {
    const failed = {
      session_name: "shop",
      status: "timeout",
      url: "https://b.example.com/console/sessions/1",
    };
    const text = chatText([event("issue.agent_run.failed", { ...failed, error_message: "took too long" })]);
    expect(text.split("\n").slice(0, 2)).toEqual([
      "The issue engine could not scan shop: timeout",
      "took too long",
    ]);
    expect(chatText([event("issue.agent_run.failed", failed)]).split("\n")).toHaveLength(2);
  });

  test("of a revision says whether it is live", () => {
    const object = { deployment_name: "shop", revision_number: 3, status: "BUILD_FAILED", url: issue.url };
    expect(chatText([event("deployment.revision.deployed", object)])).toBe(
      `Revision 3 of *shop* is live\n${link}`,
    );
    const failed = event("deployment.revision.failed", { ...object, error_message: "no <module>" });
    expect(chatText([failed])).toBe(`Revision 3 of *shop* failed: BUILD_FAILED\nno &lt;module&gt;\n${link}`);
  });

  test("says when an event is sent, what it is about and its error, where it has no words of its own", () => {
    const object = { deployment_name: "shop", revision_number: 3, status: "DEPLOYED", url: issue.url };
    const restarted = { ...object, error_message: "it used <512 MB" };
    expect(chatText([event("deployment.revision.restarted", restarted)])).toBe(
      `A serving revision ran out of memory or hung, and was restarted: Revision 3 of *shop*\nit used &lt;512 MB\n${link}`,
    );
  });

  test("mentions nobody, and does not get long", () => {
    const text = chatText([
      event("issue.created", { ...issue, description: `<!channel> ${"x".repeat(5_000)}` }),
    ]);
    expect(text).not.toContain("<!");
    const bare = chatText([
      event("issue.created", { ...issue, description: "@channel @here @everyone, a@all.de" }),
    ]);
    expect(bare).not.toMatch(/@(?:channel|here|everyone|all)\b/);
    expect(text.length).toBeLessThan(1_000);
  });

  test("of a kind that it does not know names it", () =>
    expect([{}, { name: "a <b>" }].map((object) => chatText([event("something.new", object)]))).toEqual([
      "something.new",
      "something.new *a &lt;b&gt;*",
    ]));
});

describe("it goes", () => {
  test("to chat.postMessage with the token, at Slack or where a setting says", () => {
    const request = chatRequest("#agents", [created], { apiUrl: null, token: "xoxb-1" });
    expect(request?.url.href).toBe("https://slack.com/api/chat.postMessage");
    expect(request?.headers.Authorization).toBe("Bearer xoxb-1");
    expect(bodyOf(request)).toMatchObject({ channel: "#agents", text: chatText([created]) });
    const other = chatRequest("C1", [created], { apiUrl: "http://127.0.0.1:9/api", token: "xoxb-1" });
    expect([other?.url.href, other?.isTrusted]).toEqual(["http://127.0.0.1:9/api/chat.postMessage", true]);
  });

  test("to the channel's own address, without the token and judged like any other", () => {
    const request = chatRequest("https://hooks.slack.com/services/T/B/x", [created], {
      apiUrl: null,
      token: "xoxb-1",
    });
    expect([request?.url.href, request?.isTrusted]).toEqual([
      "https://hooks.slack.com/services/T/B/x",
      false,
    ]);
    expect(request?.headers).not.toHaveProperty("Authorization");
    expect(bodyOf(request)).toEqual({ text: chatText([created]) });
  });

  test("to the incoming webhook of the settings, where there is no token", () => {
    const request = chatRequest("#agents", [created], {
      apiUrl: "https://chat.example.com/hooks/1",
      token: null,
    });
    expect([request?.url.href, request?.isTrusted]).toEqual(["https://chat.example.com/hooks/1", true]);
    expect(bodyOf(request)).toEqual({ channel: "#agents", text: chatText([created]) });
  });

  test("nowhere, where neither is set", () =>
    expect(chatRequest("#agents", [created], { apiUrl: null, token: null })).toBeUndefined());
});

describe("a chat's answer", () => {
  const said = (status: number, response: string) => {
    const outcome = status < 300 ? "ok" : "http";
    const answer: ReceiverAnswer = {
      outcome,
      status,
      response,
      durationMs: 1,
      error: null,
      retryAfter: null,
    };
    return chatVerdict(answer);
  };

  test("is good when it says ok, in either form", () => {
    for (const body of ['{"ok":true,"ts":"1"}', "ok", "", "[]"])
      expect(said(200, body).verdict).toBe("delivered");
  });

  test.each(["ratelimited", "internal_error", "service_unavailable", "fatal_error", "request_timeout"])(
    "%s is tried again",
    (error) => {
      const { answer, verdict } = said(200, JSON.stringify({ ok: false, error }));
      expect([verdict, answer.outcome, answer.status]).toEqual(["retry", "http", 200]);
      expect(answer.error).toContain(error);
    },
  );

  test.each(["channel_not_found", "invalid_auth", "not_in_channel", "is_archived", "something_new"])(
    "%s is given up",
    (error) => expect(said(200, JSON.stringify({ ok: false, error })).verdict).toBe("dead"),
  );

  test("is judged by its status where that says enough", () => {
    expect(said(429, "").verdict).toBe("retry");
    expect(said(503, '{"ok":false,"error":"channel_not_found"}').verdict).toBe("retry");
    expect(said(404, "no_service").verdict).toBe("dead");
  });
});
