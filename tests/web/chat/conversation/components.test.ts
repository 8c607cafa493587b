import { describe, expect, test } from "bun:test";
import { AT_END, placedUi, readUiChange } from "../../../../web/chat/conversation/content.ts";
import {
  NEWEST,
  NO_TIMELINE,
  shownUi,
  withHistory,
  withUi,
  withValues,
} from "../../../../web/chat/conversation/timeline/timeline.ts";
import { inShade } from "../../../../web/component/shade.ts";

const ui = (id: string, metadata: Record<string, unknown> = {}, props: Record<string, unknown> = {}) => ({
  ...{ type: "ui" as const, id, name: "card", props, metadata },
});
const messages = [
  { id: "h1", role: "user" },
  { id: "a1", role: "assistant" },
  { id: "h2", role: "user" },
];
const runOf = (id: string) => (id === "a1" ? "run-1" : undefined);
const placed = (one: ReturnType<typeof ui>, busy = false, list = messages) => [
  ...placedUi([one], list, { busy, runOf }).keys(),
];

describe("a component stands", () => {
  test("under the message that it names, as either version of the SDK writes it", () => {
    expect(placed(ui("x", { message_id: "a1" }))).toEqual(["a1"]);
    expect(placed(ui("x", { id: "a1" }))).toEqual(["a1"]);
  });

  test("under what its run said last, or at the end, where it names none", () => {
    expect(placed(ui("x", { run_id: "run-1" }))).toEqual(["a1"]);
    expect(placed(ui("x", { run_id: "run-2" }))).toEqual([AT_END]);
    expect(placed(ui("x"), false, messages.slice(0, 2))).toEqual(["a1"]);
  });

  test("nowhere yet while its message is on its way", () => {
    expect(placed(ui("x", { message_id: "a2" }), true)).toEqual([]);
    expect(placed(ui("x", { message_id: "a2" }))).toEqual([AT_END]);
  });
});

describe("what is told of components", () => {
  const change = (told: unknown) => {
    const read = readUiChange({ name: "card", payload: told });
    if (!read) throw new Error("it was not read");
    return read;
  };
  const state = (list: unknown) => ({
    values: { messages: [], ui: list },
    checkpoint: { checkpoint_id: "01" },
    parent_checkpoint: null,
    metadata: {},
    created_at: null,
  });

  test("counts until the state has it", () => {
    const known = withHistory(NO_TIMELINE, [state([ui("x", {}, { a: 1 }), "no component"])], true);
    const told = [ui("x", { merge: true }, { b: 2 }), ui("y"), { type: "remove-ui", id: "y" }];
    const after = told.reduce((timeline, one) => withUi(timeline, change(one)), known);
    expect(shownUi(after, NEWEST)).toMatchObject([{ id: "x", props: { a: 1, b: 2 } }]);
    const settled = withValues(after, { messages: [], ui: [ui("z")] }, { id: "02" });
    expect(shownUi(settled, NEWEST)).toMatchObject([{ id: "z" }]);
    expect(shownUi(settled, { ...NEWEST, chosen: "01" })).toMatchObject([{ id: "x", props: { a: 1 } }]);
  });

  test("is not what other custom events are", () => {
    for (const payload of [undefined, "ui", { type: "ui" }, { type: "ui", id: 1, name: "card", props: {} }])
      expect(readUiChange({ payload })).toBeUndefined();
  });
});

test("the stylesheet of a component is asked for in the theme of the chat", () => {
  const markup =
    '<link rel="stylesheet" href="http://a/ui/x/entrypoint.css" /><script src="http://a/x.js"></script>';
  expect(inShade(markup, "dark")).toBe(markup.replace(".css", ".css?color_scheme=dark"));
  expect(inShade("<script></script>", "dark")).toBe("<script></script>");
});
