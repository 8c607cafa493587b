/** An archive that is not unpacked; the message is one line and names the entry. */
export class BadArchive extends Error {
  override name = "BadArchive";
}

export type NameLimits = { pathBytes: number; depth: number; entries: number };

/** The most that the usual file systems take for one name. */
const LONGEST_NAME = 255;

type Taken = { path: string; isFolder: boolean };

/**
 * The names that an archive may use, each once. What two file systems could read in different ways is refused
 * rather than mended: whoever packs a project by ordinary means has none of it.
 */
export class EntryNames {
  readonly #limits: NameLimits;
  readonly #sameAs: (path: string) => string;
  readonly #taken = new Map<string, Taken>();

  /** @param sameAs the form in which two names are the same one; by default as file systems without case compare */
  constructor(limits: NameLimits, sameAs = withoutCase) {
    this.#limits = limits;
    this.#sameAs = sameAs;
  }

  /**
   * The path of an entry below the root, or null for the root itself.
   * @throws BadArchive
   */
  take(given: string, isFolder: boolean): string | null {
    const fault = this.#fault(given);
    if (fault) throw new BadArchive(`The archive is refused: ${shown(given)} ${fault}`);
    const segments = given.split("/").filter((segment) => segment !== "" && segment !== ".");
    if (segments.length === 0) return null;
    for (let depth = 1; depth < segments.length; depth += 1)
      this.#claim(given, { path: segments.slice(0, depth).join("/"), isFolder: true });
    const path = segments.join("/");
    this.#claim(given, { path, isFolder });
    return path;
  }

  #fault(given: string): string | undefined {
    const { pathBytes, depth } = this.#limits;
    if (Buffer.byteLength(given) > pathBytes) return `has a path of more than ${pathBytes} bytes`;
    if (/\p{Cc}|\ufffd/u.test(given)) return "has characters in its path that are not text";
    if (given.includes("\\")) return "has a backslash in its path";
    if (given.startsWith("/") || /^[a-z]:/i.test(given)) return "has an absolute path";
    const segments = given.split("/");
    if (segments.includes("..")) return "has a path with ..";
    if (segments.length > depth) return `lies more than ${depth} folders deep`;
    if (segments.some((segment) => Buffer.byteLength(segment) > LONGEST_NAME))
      return `has a name of more than ${LONGEST_NAME} bytes`;
    return undefined;
  }

  #claim(given: string, wanted: Taken): void {
    const key = this.#sameAs(wanted.path);
    const held = this.#taken.get(key);
    if (!held) {
      if (this.#taken.size >= this.#limits.entries)
        throw new BadArchive(`The archive is refused: it has more than ${this.#limits.entries} entries`);
      this.#taken.set(key, wanted);
    } else if (held.path !== wanted.path)
      throw new BadArchive(
        `The archive is refused: ${shown(given)} and ${shown(held.path)} differ in case or accents only`,
      );
    else if (!held.isFolder || !wanted.isFolder)
      throw new BadArchive(`The archive is refused: ${shown(given)} is in it twice`);
  }
}

const withoutCase = (path: string) => path.normalize("NFC").toLowerCase();

/** A name from outside, fit for one line of a log. */
export function shown(name: string): string {
  const text = JSON.stringify(name);
  return text.length > 200 ? `${text.slice(0, 200)}…"` : text;
}
