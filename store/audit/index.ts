export {
  type Author,
  authorText,
  DELETION_KINDS,
  type Deletion,
  Deletions,
  noteDeletion,
  readAuthor,
} from "./deletions.ts";
