/** Where ⌘ does what Ctrl does elsewhere. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** What a key with Ctrl, or ⌘, is called here. */
export const modKeys = (key: string): string[] => [isMac ? "⌘" : "Ctrl", key];

/** Whether a bare key is a letter to somebody who types. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}
