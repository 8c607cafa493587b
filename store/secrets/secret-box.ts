import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";

/** An environment variable of a deployment's processes. */
export type Secret = { name: string; value: string };

/** What stands for a secret's value where it is shown; given back, it keeps the value. */
export const SECRET_MASK = "********";

const ALGORITHM = "aes-256-gcm";
const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key of the secrets is not the one that they were sealed with, or it cannot be had. */
export class WrongSecretsKey extends Error {
  override name = "WrongSecretsKey";
}

/** What is in the place of a sealed text that nobody can open any more: its key was lost, and somebody said so. */
export const LOST = "lost";

/** The secret was given up together with its key. */
export class LostSecret extends WrongSecretsKey {
  override name = "LostSecret";

  constructor() {
    super("its secrets are lost, because the key that encrypted them is lost: set them again");
  }
}

/** How many characters the text had: told without the key, for what is sealed is as long as its text. */
export const lengthOf = (sealed: string): number =>
  Buffer.from(sealed.split(":")[1] ?? "", "base64").length - NONCE_BYTES - TAG_BYTES;

/** Seals texts, so that whoever reads the database reads no secrets: AES-256-GCM. */
export class SecretBox {
  readonly #key: Buffer;

  /** @param passphrase any text; its hash is the key */
  constructor(passphrase: string) {
    this.#key = createHash("sha256").update(passphrase).digest();
  }

  /** @param owner the id of what the text belongs to: it opens for no other one */
  seal(text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(owner));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return `${VERSION}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64")}`;
  }

  /**
   * @throws WrongSecretsKey it was sealed with another key, for another owner, or has changed since
   * @throws LostSecret
   */
  open(sealed: string, owner: string): string {
    if (sealed === LOST) throw new LostSecret();
    const [version, text = ""] = sealed.split(":");
    const bytes = Buffer.from(text, "base64");
    try {
      if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("not a sealed text");
      const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    } catch (cause) {
      throw new WrongSecretsKey("a secret in the database does not open with this key", { cause });
    }
  }

  /** A key for something else, which tells nothing of this one: whoever has the same key has it, too. */
  keyFor(purpose: string): Buffer {
    return createHmac("sha256", this.#key).update(purpose).digest();
  }

  sealSecrets(secrets: readonly Secret[], owner: string): string {
    return this.seal(JSON.stringify(secrets.map(({ name, value }) => ({ name, value }))), owner);
  }

  /** @throws WrongSecretsKey */
  openSecrets(sealed: string, owner: string): Secret[] {
    return JSON.parse(this.open(sealed, owner));
  }
}

const SECRET_BYTES = 32;

/** What opens an instance for the gateway. */
export const newToken = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** What signs the news of a push to a repository. */
export const newPushSecret = (): string => randomBytes(SECRET_BYTES).toString("hex");
