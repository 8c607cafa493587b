// What a text in Markdown says, in one place, so that it can be read in one go.

export const WORDS = {
  // code-block
  copied: "Copied",
  copyThisCode: "Copy this code",
  copy: "Copy",

  unformatted: "Too long to format",

  // prose
  done: "Done",
  toDo: "To do",
  table: "Table",

  // remote-picture
  unsafeLinkLeftOut: "This link is left out: its address is not safe",
  unnamedPicture: "the picture",
  showPictureFrom: (alt: string, host: undefined | string) => (
    <>
      Show {alt} from {host}
    </>
  ),
  plainText: "text",
} as const;
