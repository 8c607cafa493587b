import { A2AError, RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { Conflict, Fault } from "@berth/store";
import { logger } from "../log/index.ts";

const log = logger("a2a");

/** What we did not foresee, told without its inside; that goes to the log. */
export class InternalFault extends Error {
  constructor() {
    super("Internal error");
  }
}

/** A failure in the protocol's terms. */
export function translated(error: unknown): Error {
  if (error instanceof A2AError || error instanceof InternalFault) return error;
  // Somebody else was first, with an answer say.
  if (error instanceof Conflict) return new UnsupportedOperationError(error.message);
  if (error instanceof Fault) return new RequestMalformedError(error.message);
  log.error("request failed", { error });
  return new InternalFault();
}
