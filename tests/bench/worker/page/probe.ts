/** What the page is watched with. It runs in the page, before anything of the page does. */
export type Probe = {
  /** When the frame was drawn in which the page could be used (ms since the navigation began). */
  readyAt: number | undefined;
  /** Tasks of more than 50 ms, and the time from each frame to the next. */
  longTasks: number[];
  frames: number[];
};

declare global {
  interface Window {
    benchProbe: Probe;
  }
}

/**
 * Installs the probe. Its text is sent to the page, so it must use nothing from outside of itself.
 * @param usable what is on the page, and not disabled, once one can use it
 */
export function installProbe(usable: string): void {
  const probe: Probe = { readyAt: undefined, longTasks: [], frames: [] };
  window.benchProbe = probe;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) probe.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  let before = performance.now();
  const frame = (now: number) => {
    probe.frames.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const look = new MutationObserver(() => {
    const part = document.querySelector(usable);
    if (!part || part.matches(":disabled")) return;
    look.disconnect();
    requestAnimationFrame(() => {
      probe.readyAt = performance.now();
    });
  });
  look.observe(document, { childList: true, subtree: true, attributes: true });
}
