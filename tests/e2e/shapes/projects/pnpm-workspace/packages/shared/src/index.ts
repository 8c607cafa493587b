export { asksFirst, done } from "./words.js";
