import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import "./menu.css";

export type MenuItem = {
  label: string;
  icon?: ReactNode;
  look?: "normal" | "danger";
  /** For a choice among several: whether this one is chosen. */
  checked?: boolean;
  testId?: string;
  onSelect: () => void;
};

type MenuProps = {
  /** What the menu is about: the name of its button. */
  label: string;
  icon: ReactNode;
  items: readonly MenuItem[];
  size?: "normal" | "small";
  testId?: string;
};

const MARGIN = 8;

/** A button that opens a list of actions. The list lies above everything, so no scrolling parent cuts it off. */
export function Menu({ label, icon, items, size = "normal", testId }: MenuProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);

  return (
    <>
      <span ref={anchor} className="menu-anchor">
        <IconButton
          label={label}
          size={size}
          aria-haspopup="menu"
          aria-expanded={open}
          data-testid={testId}
          popoverTarget={id}
        >
          {icon}
        </IconButton>
      </span>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onKeyDown={moveFocus}
        onToggle={(event) => {
          setOpen(event.newState === "open");
          if (event.newState === "open") openAt(anchor.current, event.currentTarget);
        }}
      >
        {items.map((item) => (
          <Entry key={item.label} item={item} onChosen={() => list.current?.hidePopover()} />
        ))}
      </div>
    </>
  );
}

/** Puts a list below what opens it, or above where there is no room, and the focus on its first entry. */
function openAt(anchor: HTMLElement | null, list: HTMLElement): void {
  if (!anchor) return;
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = at.bottom + 4 + height <= window.innerHeight - MARGIN;
  const left = Math.min(at.left, window.innerWidth - width - MARGIN);
  list.style.left = `${Math.max(MARGIN, left)}px`;
  list.style.top = `${below ? at.bottom + 4 : Math.max(MARGIN, at.top - 4 - height)}px`;
  list.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
}

function Entry({ item, onChosen }: { item: MenuItem; onChosen: () => void }) {
  const { label, icon, look, checked, testId, onSelect } = item;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: an entry that can be chosen has a role with a check.
    <button
      type="button"
      tabIndex={-1}
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      data-testid={testId}
      className={classes("menu-item", look === "danger" && "menu-item-danger")}
      onClick={() => {
        onChosen();
        onSelect();
      }}
    >
      {icon}
      {label}
    </button>
  );
}

/** Arrows, Home and End walk through the entries of a list that holds the focus. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const at = entries.findIndex((entry) => entry.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  entries.at(next % entries.length)?.focus();
}
