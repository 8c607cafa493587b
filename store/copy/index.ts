export { type CopyNews, type CopyPlace, copyDatabase } from "./copy.ts";
export { CopyRefused } from "./copy-end.ts";
export { NotCopyable, type TableDigest } from "./digest.ts";
