import { LostSecret, type Revisions } from "@berth/store";

const MASK = "***";
/** Shorter values turn up in texts that have nothing to do with them. */
const LEAST_LENGTH = 8;

/**
 * Takes values out of texts that others may read: as they are, as JSON writes them, and line by line, since a
 * program prints a key of many lines as many lines.
 */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...secret.split("\n").map((line) => line.trim()),
  ]);
  const hidden = [...new Set(forms)].filter((form) => form.length >= LEAST_LENGTH);
  // The longest first: what is left of a value when a part of it was taken out would not be found any more.
  hidden.sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, form) => rest.replaceAll(form, MASK), text);
}

/** The mask of a revision's secrets. Where nobody knows their values any more, no text may be shown. */
export async function maskOfRevision(
  revisions: Pick<Revisions, "secretsOf">,
  id: string,
): Promise<(text: string) => string> {
  try {
    return maskOf((await revisions.secretsOf(id)).map(({ value }) => value));
  } catch (error) {
    if (error instanceof LostSecret) return () => MASK;
    throw error;
  }
}
