import {
  BadRequest,
  Conflict,
  Denied,
  Fault,
  type FaultDetail,
  Invalid,
  NotFound,
  TooLarge,
  Unauthenticated,
  Unavailable,
} from "@berth/store";
import { AuthRefusal } from "../auth.ts";
import { ProjectError } from "../project/index.ts";

/** An error as it travels. */
export type FaultText = {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: string | undefined;
  details?: FaultDetail[];
  refusal?: { status: number; headers: Readonly<Record<string, string>> };
};

const CLASSES = { NotFound, Conflict, BadRequest, Unauthenticated, Denied, TooLarge, Unavailable };

export function faultText(thrown: unknown): FaultText {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown) };
  const { name, message, stack } = thrown;
  return {
    ...{ name, message, stack },
    ...(thrown instanceof Fault && { code: thrown.code }),
    ...(thrown instanceof Invalid && { details: thrown.details }),
    ...(thrown instanceof AuthRefusal && { refusal: { status: thrown.status, headers: thrown.headers } }),
  };
}

/** The same error where it is told: what callers are told by its class stays so. */
export function faultOf({ name, message, stack, code, details, refusal }: FaultText): Error {
  const options = code === undefined ? undefined : { code };
  if (refusal) return new AuthRefusal(message, refusal.status, refusal.headers);
  if (details) return new Invalid(details, options);
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : undefined;
  if (known) return new known(message, options);
  if (name === "ProjectError") return new ProjectError(message);
  const error = new Error(message);
  return Object.assign(error, { name }, stack !== undefined && { stack });
}
