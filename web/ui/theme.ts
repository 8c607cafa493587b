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
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // Not remembered, but applied.
  }
}
