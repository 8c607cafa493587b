import { LostSecret, maskOf, type Revisions } from "@berth/store";

const MASK = "***";
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
