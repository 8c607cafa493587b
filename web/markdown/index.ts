export { useCopy } from "./code-block.tsx";
export { Markdown } from "./markdown.tsx";
