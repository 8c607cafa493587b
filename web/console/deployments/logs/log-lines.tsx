import type { LogLine } from "@berth/server";
import { ArrowDown } from "lucide-react";
import { memo, type UIEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button, classes } from "../../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { type ShownLog, shownLine } from "./log.ts";
import "./log-lines.css";

type LogLinesProps = {
  log: ShownLog;
  label: string;
  /** What is searched for, which is marked in the lines. */
  query?: string;
  /** Shown where there are no lines. */
  empty: string;
  look?: "tall" | "low";
};

/** From so many pixels above its end, a log still keeps to it. */
const NEAR_PX = 40;

/** The lines of a log. It keeps to the newest line until somebody scrolls up. */
export function LogLines({ log, label, query = "", empty, look = "tall" }: LogLinesProps) {
  const { lines, hasOlder, loadOlder } = log;
  const { box, content, isAtEnd, toEnd, onScroll } = useEndOf(lines[0]?.id);
  const hasLevels = lines.some(({ level }) => level !== "INFO");
  return (
    <div className={classes("log", `log-${look}`, hasLevels && "log-with-levels")}>
      <div
        ref={box}
        className="log-box"
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        data-testid="log"
        onScroll={onScroll}
      >
        {hasOlder && (
          <Button size="small" look="quiet" onClick={loadOlder} data-testid="log-older">
            {WORDS.showEarlierLines}
          </Button>
        )}
        {lines.length === 0 && !log.loading && <p className="log-empty">{empty}</p>}
        <div ref={content}>
          {lines.map((line) => (
            <Line key={line.id} line={line} query={query} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <span className="log-newest">
          <Button size="small" icon={<ArrowDown />} onClick={toEnd} data-testid="log-newest">
            {WORDS.newest}
          </Button>
        </span>
      )}
    </div>
  );
}

/**
 * Keeps a box at its end while it grows, unless somebody has scrolled up; what is put above the first line then
 * does not move what is read.
 */
function useEndOf(first: string | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const latest = useRef({ isAtEnd, height: 0, first });
  const toEnd = useCallback(() => box.current?.scrollTo({ top: box.current.scrollHeight }), []);
  useEffect(() => {
    latest.current.isAtEnd = isAtEnd;
  }, [isAtEnd]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || latest.current.first === first) return;
    if (!latest.current.isAtEnd) element.scrollTop += element.scrollHeight - latest.current.height;
    latest.current.first = first;
  }, [first]);
  useEffect(() => {
    // Lines get their real height when they are first seen, so it is not enough to look when there are new ones.
    const grown = new ResizeObserver(() => {
      if (latest.current.isAtEnd) toEnd();
      latest.current.height = box.current?.scrollHeight ?? 0;
    });
    if (content.current) grown.observe(content.current);
    return () => grown.disconnect();
  }, [toEnd]);
  const onScroll = useCallback(({ currentTarget: at }: UIEvent<HTMLDivElement>) => {
    setAtEnd(at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_PX);
  }, []);
  return { box, content, isAtEnd, toEnd, onScroll };
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hour12: false });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

const Line = memo(function Line({ line, query }: { line: LogLine; query: string }) {
  const { text, fields } = shownLine(line.message);
  const level = line.level.toLowerCase();
  return (
    <div className={classes("log-line", `log-${level}`)} data-testid="log-line">
      <time dateTime={new Date(line.timestamp).toISOString()} title={whole.format(line.timestamp)}>
        {clock.format(line.timestamp)}
      </time>
      <span className="log-level">
        {level === "info" ? <span className="visually-hidden">{WORDS.info}</span> : level}
      </span>
      <span className="log-text">
        <Marked text={text} query={query} />
        {fields !== undefined && (
          <span className="log-fields">
            {" "}
            <Marked text={fields} query={query} />
          </span>
        )}
      </span>
    </div>
  );
});

/** A text with what is searched for marked in it. */
function Marked({ text, query }: { text: string; query: string }) {
  if (query === "") return text;
  const parts: { text: string; isFound: boolean; at: number }[] = [];
  const folded = text.toLowerCase();
  let from = 0;
  for (
    let at = folded.indexOf(query.toLowerCase());
    at >= 0;
    at = folded.indexOf(query.toLowerCase(), from)
  ) {
    parts.push({ text: text.slice(from, at), isFound: false, at: from });
    from = at + query.length;
    parts.push({ text: text.slice(at, from), isFound: true, at });
  }
  parts.push({ text: text.slice(from), isFound: false, at: from });
  return parts.map(({ text, isFound, at }) => (isFound ? <mark key={at}>{text}</mark> : text));
}
