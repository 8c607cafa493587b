const SUFFIX_DIGITS = 8;
const SUFFIXES = 36 ** SUFFIX_DIGITS;

/** A short random word of lower-case letters and digits. */
export function randomWord(digits: number): string {
  let word = "";
  while (word.length < digits) {
    word += Math.floor(Math.random() * SUFFIXES)
      .toString(36)
      .padStart(SUFFIX_DIGITS, "0");
  }
  return word.slice(0, digits);
}

/**
 * The version after `current`: a counter that sorts as text, and a random end, so that two forks of a
 * checkpoint never give one version to different values (as LangGraph's Python savers do).
 */
export function nextVersion(current: string | number | undefined): string {
  const counter = current === undefined ? 0 : Number.parseInt(String(current), 10);
  return `${String(counter + 1).padStart(10, "0")}.${randomWord(SUFFIX_DIGITS)}`;
}
