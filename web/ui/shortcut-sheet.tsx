import { Dialog } from "./dialog.tsx";
import "./shortcut-sheet.css";

export type KeyWords = { keys: readonly string[]; words: string };

/** All keys of a page on one sheet; rendered means open. */
export function ShortcutSheet({
  shortcuts,
  onClose,
}: {
  shortcuts: readonly KeyWords[];
  onClose: () => void;
}) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} testId="shortcut-sheet">
      <dl className="shortcuts">
        {shortcuts.map(({ keys, words }) => (
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
