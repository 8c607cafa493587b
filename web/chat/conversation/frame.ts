import { useEffect, useRef, useState } from "react";

/** How often a page that nobody sees is drawn: browsers give it no frames. */
const HIDDEN_MS = 500;

/**
 * The value as of the latest animation frame. A stream may bring hundreds of values between two frames; what
 * hangs on this one is drawn once for all of them.
 */
export function useFrame<Value>(value: Value): Value {
  const [drawn, setDrawn] = useState(() => value);
  const latest = useRef(value);
  const cancel = useRef<() => void>(undefined);
  latest.current = value;
  useEffect(() => {
    if (drawn === latest.current || cancel.current) return;
    cancel.current = nextFrame(() => {
      cancel.current = undefined;
      setDrawn(() => latest.current);
    });
  });
  useEffect(
    () => () => {
      cancel.current?.();
      cancel.current = undefined;
    },
    [],
  );
  return drawn;
}

function nextFrame(draw: () => void): () => void {
  if (document.hidden) {
    const timer = setTimeout(draw, HIDDEN_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(frame);
}
