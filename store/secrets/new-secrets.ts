import { randomBytes } from "node:crypto";

const SECRET_BYTES = 32;

/** What opens an instance for the gateway. */
export const newToken = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** What signs the news of a push to a repository. */
export const newPushSecret = (): string => randomBytes(SECRET_BYTES).toString("hex");
