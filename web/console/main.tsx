import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { base } from "../api/index.ts";
import { applyTheme, storedTheme } from "../ui/index.ts";
import { Console } from "./console.tsx";
import "../ui/tokens.css";
import "../ui/base.css";

applyTheme(storedTheme());
// The document's addresses are relative, and browsers look for this one anew wherever the console goes.
const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
icon?.setAttribute("href", icon.href);
const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <Router base={`${base}/console`}>
      <Console />
    </Router>,
  );
