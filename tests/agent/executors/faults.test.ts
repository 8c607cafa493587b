import { expect, test } from "bun:test";
import {
  BadRequest,
  Conflict,
  Denied,
  Invalid,
  NotFound,
  TooLarge,
  Unauthenticated,
  Unavailable,
} from "@berth/store";
import { AuthRefusal } from "../../../agent/auth.ts";
import { faultOf, faultText } from "../../../agent/executors/faults.ts";
import { ProjectError } from "../../../agent/project/index.ts";

/** As it arrives. */
const told = (error: unknown): Error => faultOf(structuredClone(faultText(error)));

test.each([
  new NotFound("no such thread"),
  new Conflict("the thread is busy", { code: "busy" }),
  new BadRequest("not so"),
  new Unauthenticated("who are you"),
  new Denied("not you"),
  new TooLarge("too much"),
  new Unavailable("later"),
  new ProjectError("graphs.agent: no such file"),
])("%o stays what callers are told by", (error) => {
  const arrived = told(error);
  expect(arrived.constructor).toBe(error.constructor);
  expect(arrived).toMatchObject({ message: error.message, ...("code" in error && { code: error.code }) });
});

test("faults keep the fields that they name, refusals their status and headers", () => {
  const invalid = told(Invalid.body("webhook", "is no address"));
  expect(invalid).toBeInstanceOf(Invalid);
  expect((invalid as Invalid).details).toEqual(Invalid.body("webhook", "is no address").details);
  const refusal = told(new AuthRefusal("pay first", 402, { "x-price": "3" }));
  expect(refusal).toBeInstanceOf(AuthRefusal);
  expect(refusal).toMatchObject({ status: 402, headers: { "x-price": "3" }, message: "pay first" });
});

test("any other error keeps its name, its text and where it was thrown", () => {
  const error = new RangeError("out of range");
  expect(told(error)).toMatchObject({ name: "RangeError", message: "out of range", stack: error.stack });
  expect(told("just a text")).toMatchObject({ name: "Error", message: "just a text" });
});
