import type { ComponentProps, ReactNode } from "react";
import { classes } from "./classes.ts";
import "./button.css";

type ButtonProps = ComponentProps<"button"> & {
  /** `primary` once in a view; `danger` for what cannot be undone; `quiet` has no outline. */
  look?: "primary" | "plain" | "quiet" | "danger";
  size?: "normal" | "small";
  icon?: ReactNode;
};

/** A button with words. */
export function Button({ look = "plain", size = "normal", icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes("button", `button-${look}`, size === "small" && "button-small", className)}
    >
      {icon}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  /** What it does: its name for those who cannot see the icon, and its tooltip for those who can. */
  label: string;
  /** The key that does the same, shown in the tooltip. */
  keys?: string;
  size?: "normal" | "small";
  align?: "start" | "center" | "end";
  children: ReactNode;
};

/** A button that is only an icon. */
export function IconButton({
  label,
  keys,
  size = "normal",
  align,
  className,
  children,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys} align={align}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={classes("icon-button", size === "small" && "icon-button-small", className)}
      >
        {children}
      </button>
    </Tooltip>
  );
}

type TooltipProps = {
  text: string;
  keys?: string;
  /** Which edge it keeps to; the middle does not fit beside the edge of the page. */
  align?: "start" | "center" | "end";
  children: ReactNode;
};

/**
 * Words that appear beside a control under the pointer or the focus. Only for the eye: the control needs a name
 * of its own.
 */
export function Tooltip({ text, keys, align = "center", children }: TooltipProps) {
  return (
    <span className={`tooltip tooltip-${align}`}>
      {children}
      <span className="tooltip-text" aria-hidden="true">
        {text}
        {keys && <kbd>{keys}</kbd>}
      </span>
    </span>
  );
}
