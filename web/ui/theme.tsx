import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Menu } from "./menu.tsx";
import { WORDS } from "./words.ts";

export type Theme = "system" | "light" | "dark";

const NAME = "berth.theme";

/** The theme that was chosen in this browser. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

/** Colours the page; `system` follows what the reader's system prefers. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
}

/** Colours the page, and this browser's later visits. */
function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // Not remembered, but applied.
  }
}

const THEMES: { theme: Theme; label: string; icon: React.ReactNode }[] = [
  { theme: "system", label: WORDS.system, icon: <Monitor /> },
  { theme: "light", label: WORDS.light, icon: <Sun /> },
  { theme: "dark", label: WORDS.dark, icon: <Moon /> },
];

/** Chooses between light, dark and what the system prefers. */
export function ThemeMenu() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Menu
      label={WORDS.theme}
      testId="theme-switch"
      icon={THEMES.find((entry) => entry.theme === theme)?.icon}
      items={THEMES.map((entry) => ({
        label: entry.label,
        icon: entry.icon,
        checked: entry.theme === theme,
        testId: `theme-${entry.theme}`,
        onSelect: () => choose(entry.theme),
      }))}
    />
  );
}
