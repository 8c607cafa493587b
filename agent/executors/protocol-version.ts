import { ProjectError } from "../project/index.ts";

/** Changes with each change of a message that an end of another version would misread. */
export const PROTOCOL_VERSION = 1;

/**
 * Checks the version that the other end states in its first message.
 * @throws ProjectError it is another one
 */
export function assertProtocol(theirs: unknown): void {
  if (theirs === PROTOCOL_VERSION) return;
  throw new ProjectError(
    `The server and its worker use different versions of the worker protocol (${PROTOCOL_VERSION} and ${theirs}): start both from the same installation of Berth`,
  );
}
