import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { WORDS } from "./words.ts";
import "./toast.css";

export type Toast = {
  text: string;
  look?: "plain" | "negative";
  /** What can be done about it, while it shows. */
  action?: { label: string; onSelect: () => void };
};

type Shown = Toast & { id: number };

const SHOWN_MS = 7000;
const MOST_AT_ONCE = 3;

const ToastContext = createContext<(toast: Toast) => void>(() => {});

/** Gives the function that shows a passing message in the corner. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}

let count = 0;

/** Holds the messages above the page. They go by themselves, but wait while the pointer or the focus is on them. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const show = useCallback((toast: Toast) => {
    count += 1;
    const entry = { ...toast, id: count };
    setShown((before) => [...before, entry].slice(-MOST_AT_ONCE));
  }, []);
  const drop = useCallback(
    (id: number) => setShown((before) => before.filter((toast) => toast.id !== id)),
    [],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onDone={drop} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastCard({ toast, onDone }: { toast: Shown; onDone: (id: number) => void }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDone(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast.id, onDone]);
  const { action } = toast;
  return (
    <fieldset
      className={classes("toast", toast.look === "negative" && "toast-negative")}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="toast-text">{toast.text}</span>
      {action && (
        <Button
          size="small"
          look="quiet"
          onClick={() => {
            onDone(toast.id);
            action.onSelect();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label={WORDS.dismiss} size="small" onClick={() => onDone(toast.id)}>
        <X />
      </IconButton>
    </fieldset>
  );
}
