import { randomBytes } from "node:crypto";

const PUSH_SECRET_BYTES = 32;

/** What signs the news of a push to a repository. */
export const newPushSecret = (): string => randomBytes(PUSH_SECRET_BYTES).toString("hex");
