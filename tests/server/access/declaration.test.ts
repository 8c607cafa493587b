import { expect, test } from "bun:test";
import { controlPlane } from "../../../server/access/index.ts";
import { empty } from "../../../server/http/answer.ts";
import { operation } from "../../../server/http/operation.ts";

const spec = { method: "GET", path: "/x", tag: "T", summary: "X", answers: {} } as const;

test("an operation without a policy or a limit of its body does not compile", () => {
  const whole = operation({ ...spec, access: controlPlane, bodyLimit: "none" }, () => empty());
  // Never called: only the compiler reads it.
  const faulty = () => [
    // @ts-expect-error who may call is missing
    operation({ ...spec, bodyLimit: "none" }, () => empty()),
    // @ts-expect-error the limit is missing
    operation({ ...spec, access: controlPlane }, () => empty()),
    // @ts-expect-error a policy says where the caller's workspace comes from, too
    operation({ ...spec, access: { plane: "issues", asks: "any key" }, bodyLimit: "none" }, () => empty()),
  ];
  expect(whole.spec.path).toBe("/x");
  expect(faulty).toBeFunction();
});
