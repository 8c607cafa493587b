import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { applyTheme, storedTheme } from "./theme.tsx";

/** Draws a page into its document; `base` is in front of its addresses. */
export function mount(page: ReactNode, base: string): void {
  applyTheme(storedTheme());
  // The document's addresses are relative, and browsers look for this one anew wherever the page goes.
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  icon?.setAttribute("href", icon.href);
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<Router base={base}>{page}</Router>);
}
