import { useEffect, useState } from "react";
import { Spinner } from "../../ui/index.ts";
import "./loading.css";

/** An answer that comes sooner than this shows no sign of waiting, which would only flicker. */
const UNNOTICED_MS = 150;

/** While there is nothing to show yet. */
export function Loading({ label }: { label?: string }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), UNNOTICED_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading">
      {shown && (
        <>
          <Spinner label={label ?? "Loading"} />
          {/* What takes long enough to have a name is told to those who see, too. */}
          {label && <span aria-hidden="true">{label}…</span>}
        </>
      )}
    </div>
  );
}
