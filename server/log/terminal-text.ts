/** Control characters except line feeds and tabs, and characters that change the direction of text. */
const UNSAFE = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text that others wrote, such as an error of a graph, as a terminal can show it: escape sequences in it could clear the
 * screen, change the title, or write what looks like another line.
 */
export const terminalText = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`);
