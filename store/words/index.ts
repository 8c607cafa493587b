export { type AskedWords, askedWords, folded, Words } from "./words.ts";
