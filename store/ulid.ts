import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/**
 * A new id for what is Berth's own (a request, a process, an upload): later ones sort behind earlier ones of this
 * process. What the API calls an id stays a UUID. It can be guessed from the one before: never use it as a secret.
 */
export const newUlid = (): string => next();
