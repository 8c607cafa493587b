import { expect, test } from "bun:test";
import { describeCase, send } from "./case.ts";

describeCase(
  "python/uv-workspace",
  (served) => {
    test("installs the workspace member from its folder", async () => {
      const input = { messages: [{ role: "user", content: "hello" }] };
      const body = JSON.stringify({ assistant_id: "agent", input });
      const { text } = await send(served, "POST", "/runs/wait", body);
      expect(JSON.parse(text).messages.at(-1).content).toBe("shared");
    });
  },
  { folder: "apps/agent", deployedOnly: true },
);
