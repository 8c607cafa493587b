import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** So close to the end, a reader is at the end. */
const NEAR = 64;

/** Keeps a scrolling element at its end while it grows, until the reader scrolls up. */
export function useEnd() {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const stuck = useRef(true);

  const toEnd = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    stuck.current = true;
    setAway(false);
    element.scrollTop = element.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    const element = frame.current;
    const inner = content.current;
    if (!element || !inner) return;
    const watcher = new ResizeObserver(() => {
      // What has become shorter may end in sight without a scroll.
      if (element.scrollHeight - element.clientHeight - element.scrollTop <= NEAR) {
        stuck.current = true;
        setAway(false);
      }
      if (stuck.current) element.scrollTop = element.scrollHeight;
    });
    watcher.observe(inner);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let last = element.scrollTop;
    const onScroll = () => {
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      const up = element.scrollTop < last - 1;
      last = element.scrollTop;
      if (left <= NEAR) stuck.current = true;
      // Content that shrinks scrolls up too, but then the end is in sight.
      else if (up) stuck.current = false;
      setAway(!stuck.current);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);

  return { frame, content, away, toEnd };
}
