import { CircleCheck, CloudOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { WORDS } from "./words.ts";
import "./connection-banner.css";
import { Spinner } from "./signs.tsx";

/** A loss shorter than this is nobody's business: the connection is back before it could be read. */
const UNNOTICED_MS = 700;
/** From here on it is worth saying what a person can do. */
const LONG_MS = 10_000;
const BACK_MS = 2500;

type ConnectionBannerProps = {
  /** Since when there is none; nothing while there is. */
  lostSince: number | undefined;
  /** What of it is no worse than before. */
  comfort: string;
};

/** Says when the live connection is gone, for how long, and that it is back. */
export function ConnectionBanner({ lostSince, comfort }: ConnectionBannerProps) {
  const lostMs = useElapsed(lostSince);
  const isLost = lostMs !== undefined && lostMs >= UNNOTICED_MS;
  const isBack = useJustEnded(isLost);
  return (
    <div className="banner-place" role="status" aria-live="polite">
      {isLost && (
        <p className="banner banner-lost" data-testid="connection-banner" data-state="reconnecting">
          <CloudOff />
          <span>
            <strong>{WORDS.reconnecting}</strong>
            {lostMs >= LONG_MS
              ? WORDS.lostForSeconds(Math.round(lostMs / 1000), comfort)
              : WORDS.lostConnection(comfort)}
          </span>
          <Spinner />
        </p>
      )}
      {isBack && (
        <p className="banner banner-back" data-testid="connection-banner" data-state="back">
          <CircleCheck />
          {WORDS.connectedAgain}
        </p>
      )}
    </div>
  );
}

/** Milliseconds since a time, kept up to date; nothing without one. */
function useElapsed(since: number | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (since === undefined) return;
    const tick = () => setNow(Date.now());
    tick();
    const timers = [setTimeout(tick, UNNOTICED_MS), setInterval(tick, 1000)];
    return () => timers.forEach(clearTimeout);
  }, [since]);
  return since === undefined ? undefined : Math.max(0, now - since);
}

/** Whether something was the case until a moment ago. */
function useJustEnded(isOn: boolean): boolean {
  const before = useRef(isOn);
  const [hasEnded, setEnded] = useState(false);
  useEffect(() => {
    const ended = before.current && !isOn;
    before.current = isOn;
    setEnded(ended);
    if (!ended) return;
    const timer = setTimeout(() => setEnded(false), BACK_MS);
    return () => clearTimeout(timer);
  }, [isOn]);
  return hasEnded;
}
