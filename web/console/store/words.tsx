// What the screen of the store says, in one place, so that it can be read in one go.

export const WORDS = {
  // item-dialog
  saved: "Saved",
  wasDeleted: (key: string) => `${key} was deleted.`,
  keyGone: "This key no longer exists.",
  askDelete: "Agents will forget this. Delete it?",
  valueOf: (key: string) => `Value of ${key}`,
  namespace: "Namespace",
  changed: "Changed",
  created: "Created",
  discard: "Discard",
  save: "Save",
  cancel: "Cancel",
  delete: "Delete",
  edit: "Edit",
  wasSaved: (key: string) => `${key} was saved.`,
  newItem: "New item",
  store: "Store",
  namespaceHint: "Labels with dots between them: users.ada",
  key: "Key",
  keyHint: "Replaces the value of this key, if there is one.",
  value: "Value",

  // item
  mustBeJsonObject: "This must be a JSON object: { … }",
  invalidJson: (error: unknown) => `This is not valid JSON: ${error}`,

  // store-screen
  thisBerthsOwnProject: "this Berth’s own project",
  storeNote: (at: string) => `What the agents of ${at} remember across threads.`,
  search: "Search",
  searchTheItems: "Search the items",
  nothingIsRememberedYet: "Nothing is remembered yet",
  nothingHint: (
    <>
      Graphs keep what they learn here with <code>store.put(namespace, key, value)</code>; clients do with{" "}
      <code>PUT /store/items</code>.
    </>
  ),
  byMeaning: "By meaning, the best match first",
  withTextAmongNewest: (searched: number) => `With this text, among the newest ${searched}`,
  withText: "With this text",
  items: "Items",
  noItemsMatch: "No items match",
  noItemsHere: "No items here",
  noMatchHint: "Search for something else, or in another namespace.",
  similarity: "Similarity",
  allNamespaces: "All namespaces",
  namespaces: "Namespaces",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  store: {
    does: "look through stored items, search, edit and delete them",
  },
} as const;
