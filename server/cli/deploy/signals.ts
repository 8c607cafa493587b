const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What is called on Ctrl-C: the last of these. */
const acts: (() => void)[] = [];

const interrupt = () => acts.at(-1)?.();

/** Calls back on Ctrl-C or SIGTERM until it is detached, in the place of whatever would have been called before. */
export function onInterrupt(act: () => void): () => void {
  if (acts.length === 0) for (const signal of SIGNALS) process.on(signal, interrupt);
  acts.push(act);
  return () => {
    acts.splice(acts.indexOf(act), 1);
    if (acts.length === 0) for (const signal of SIGNALS) process.off(signal, interrupt);
  };
}
