export { type Author, authorText, readAuthor } from "./author.ts";
export { DELETION_KINDS, type Deletion, Deletions, noteDeletion } from "./deletions.ts";
