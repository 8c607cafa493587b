/** What the page is watched with. It runs in the page, before anything of the page does. */
export type Probe = {
  /** When the message field could be written into (ms since the navigation began). */
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

/** Installs the probe. Its text is sent to the page, so it must use nothing from outside of itself. */
export function installProbe(): void {
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
    const field = document.querySelector<HTMLTextAreaElement>("[data-testid=composer-text]");
    if (!field || field.disabled) return;
    probe.readyAt = performance.now();
    look.disconnect();
  });
  look.observe(document, { childList: true, subtree: true, attributes: true });
}
