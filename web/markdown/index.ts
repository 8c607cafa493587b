export { useCopy } from "./copy.ts";
export { Markdown } from "./markdown.tsx";
