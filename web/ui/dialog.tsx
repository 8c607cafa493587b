import { X } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { WORDS } from "./words.ts";
import "./dialog.css";

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the foot, the one that does it last. */
  actions?: ReactNode;
  /** `wide` for forms and data; `palette` sits high and has no head of its own. */
  look?: "normal" | "wide" | "palette";
  testId?: string;
};

/** A modal dialog; rendered means open. The browser traps the focus, closes on Esc and gives the focus back. */
export function Dialog({ title, onClose, children, actions, look = "normal", testId }: DialogProps) {
  const modal = useModal(onClose);
  const titleId = useId();
  return (
    <dialog
      {...modal}
      className={classes("dialog", `dialog-${look}`)}
      aria-labelledby={titleId}
      data-testid={testId}
    >
      <div className="dialog-box">
        <header className={look === "palette" ? "visually-hidden" : "dialog-head"}>
          <h2 id={titleId}>{title}</h2>
          {look !== "palette" && (
            <IconButton label={WORDS.close} size="small" onClick={onClose}>
              <X />
            </IconButton>
          )}
        </header>
        <div className="dialog-body">{children}</div>
        {actions && <footer className="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}

type DrawerProps = { label: string; onClose: () => void; children: ReactNode };

/** Something that slides in over the page on a phone; rendered means open. Esc and a tap beside it close it. */
export function Drawer({ label, onClose, children }: DrawerProps) {
  return (
    <dialog {...useModal(onClose)} className="drawer" aria-label={label}>
      {children}
    </dialog>
  );
}

/** Opens a dialog over all else. Esc closes it, which the browser tells as `cancel`, and so does a click beside it. */
function useModal(onClose: () => void): Pick<ComponentProps<"dialog">, "ref" | "onCancel" | "onClick"> {
  const ref = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const element = ref.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return {
    ref,
    onCancel: (event) => {
      event.preventDefault();
      onClose();
    },
    onClick: (event) => event.target === ref.current && onClose(),
  };
}

/** Gives the focus back to where it was, when what took it goes away. */
export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}
