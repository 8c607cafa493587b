import { ShortcutSheet } from "../../ui/index.ts";
import { keysOf, SHORTCUTS, WRITING_KEYS } from "./keys.ts";

/** All keys of the chat on one sheet. */
export function ChatShortcuts({ onClose }: { onClose: () => void }) {
  const anywhere = SHORTCUTS.map((shortcut) => ({ keys: keysOf(shortcut), words: shortcut.words }));
  return <ShortcutSheet shortcuts={[...anywhere, ...WRITING_KEYS]} onClose={onClose} />;
}
