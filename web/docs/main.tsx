import { base } from "../api/index.ts";
import { DataProvider } from "../data/index.ts";
import { mount } from "../ui/index.ts";
import { DocsPage } from "./docs-page.tsx";
import "../ui/tokens.css";
import "../ui/base.css";

mount(
  <DataProvider>
    <DocsPage />
  </DataProvider>,
  base,
);
