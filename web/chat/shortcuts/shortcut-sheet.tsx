import { Dialog } from "../../ui/index.ts";
import { keysOf, SHORTCUTS, WRITING_KEYS } from "./keys.ts";
import "./shortcuts.css";

/** All keys of the chat on one sheet. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const anywhere = SHORTCUTS.map((shortcut) => ({ keys: keysOf(shortcut), words: shortcut.words }));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} testId="shortcut-sheet">
      <dl className="shortcuts">
        {[...anywhere, ...WRITING_KEYS].map(({ keys, words }) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
