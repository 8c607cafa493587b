import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Menu } from "./menu.tsx";
import { chooseTheme, storedTheme, type Theme } from "./theme.ts";

const THEMES: { theme: Theme; label: string; icon: React.ReactNode }[] = [
  { theme: "system", label: "System", icon: <Monitor /> },
  { theme: "light", label: "Light", icon: <Sun /> },
  { theme: "dark", label: "Dark", icon: <Moon /> },
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
      label="Theme"
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
