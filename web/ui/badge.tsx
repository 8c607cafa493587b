import type { ComponentProps } from "react";
import "./badge.css";
import { classes } from "./classes.ts";

type BadgeProps = ComponentProps<"span"> & {
  look?: "neutral" | "accent" | "positive" | "caution" | "negative";
};

/** A word or two about a thing's state or kind. */
export function Badge({ look = "neutral", className, ...rest }: BadgeProps) {
  return <span {...rest} className={classes("badge", `badge-${look}`, className)} />;
}
