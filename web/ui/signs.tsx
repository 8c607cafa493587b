import type { ComponentProps } from "react";
import { classes } from "./classes.ts";
import "./signs.css";

type BadgeProps = ComponentProps<"span"> & {
  look?: "neutral" | "accent" | "positive" | "caution" | "negative";
};

/** A word or two about a thing's state or kind. */
export function Badge({ look = "neutral", className, ...rest }: BadgeProps) {
  return <span {...rest} className={classes("badge", `badge-${look}`, className)} />;
}

/** Something is under way. `label` says what, to those who cannot see it turn. */
export function Spinner({ label }: { label?: string }) {
  return (
    <span className="spinner" role={label ? "status" : undefined} aria-hidden={label ? undefined : true}>
      {label && <span className="visually-hidden">{label}</span>}
    </span>
  );
}

/** The mark of Berth: two posts, and what lies between them. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0a6785" />
      <path
        d="M8 9.5v13M24 9.5v13M8 19c2.7 0 2.7 2 5.3 2s2.7-2 5.4-2 2.6 2 5.3 2M12.5 14.5h7l-1.2 3h-4.6z"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
