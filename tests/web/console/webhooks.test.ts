import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subscription } from "@berth/server";
import { MASK, thresholdWords } from "../../../web/console/webhook.tsx";
import { SNIPPETS } from "../../../web/console/webhooks/snippets.tsx";
import { bodyOf, draftOf, emptyDraft, isComplete } from "../../../web/console/webhooks/webhook-form.tsx";

test("the snippets are those of the documentation, which are tested", () => {
  const docs = readFileSync(join(import.meta.dir, "../../../docs/webhooks.md"), "utf8");
  for (const { id, text } of SNIPPETS) expect(docs).toContain(`\`\`\`${id}\n${text}\`\`\``);
});

test("what is typed becomes what is sent", () => {
  const draft = { ...emptyDraft, target: " https://a.test/hook ", threshold: 1, secret: "own" };
  const headers = [
    { id: 1, name: " X-A ", value: " 1 " },
    { id: 2, name: "", value: "left over" },
  ];
  expect(bodyOf({ ...draft, headers })).toEqual({
    ...{ url: "https://a.test/hook", session_id: null, severity_threshold: 1 },
    ...{ event_types: ["issue.created"], headers: { "X-A": "1" }, secret: "own" },
  });
  expect(bodyOf({ ...draft, kind: "channel", target: "#ops", headers })).toEqual({
    ...{ channel: "#ops", session_id: null, severity_threshold: 1, event_types: ["issue.created"] },
  });
  expect([isComplete(emptyDraft), isComplete(draft), isComplete({ ...draft, types: [] })]).toEqual([
    false,
    true,
    false,
  ]);
});

test("a webhook that is changed keeps what is masked", () => {
  const subscription: Subscription = {
    ...{ id: "w", session_id: "s", channel: `https://chat.test/${MASK}`, severity_threshold: 2, headers: {} },
    ...{ event_types: ["issue.created"], state: "active", notice: null, created_at: "", updated_at: "" },
  };
  expect(bodyOf(draftOf(subscription))).toEqual({
    ...{ channel: `https://chat.test/${MASK}`, session_id: "s", severity_threshold: 2 },
    event_types: ["issue.created"],
  });
  const { channel: _, ...rest } = subscription;
  const withHeaders = { ...rest, url: "https://a.test", headers: { Authorization: MASK } };
  expect(bodyOf(draftOf(withHeaders))).toMatchObject({ headers: { Authorization: MASK } });
});

test("a threshold is said in words", () =>
  expect([0, 1, 2, 3].map(thresholdWords)).toEqual([
    "Urgent only",
    "High and worse",
    "Medium and worse",
    "Every severity",
  ]));
