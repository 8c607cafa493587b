import { type ReactNode, useEffect, useRef } from "react";
import "./drawer.css";
import { useFocusBack } from "./focus-back.ts";

/** Something that slides in over the page on a phone; rendered means open. Esc and a tap beside it close it. */
export function Drawer({
  label,
  onClose,
  children,
}: {
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const drawer = useRef<HTMLDialogElement>(null);
  useFocusBack();
  useEffect(() => {
    const element = drawer.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it too, which the browser tells as `cancel`.
    <dialog
      ref={drawer}
      className="drawer"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === drawer.current && onClose()}
    >
      {children}
    </dialog>
  );
}
