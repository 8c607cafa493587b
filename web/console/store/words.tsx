// What the screen of the store says, in one place, so that it can be read in one go.

export const WORDS = {
  // item-dialog
  saved: "Saved",
  wasDeleted: (key: string) => `${key} was deleted.`,
  thisKeyNoLonger: "This key no longer exists.",
  agentsWillForget: "Agents will forget this. Delete it?",
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
  labelsWithDotsBetween: "Labels with dots between them: users.ada",
  key: "Key",
  replacesTheValue: "Replaces the value of this key, if there is one.",
  value: "Value",

  // item
  thisMust: "This must be a JSON object: { … }",
  thisIsNotValid: (error: unknown) => `This is not valid JSON: ${error}`,

  // store-screen
  thisBerthsOwnProject: "this Berth’s own project",
  whatTheAgents: (at: string) => `What the agents of ${at} remember across threads.`,
  search: "Search",
  searchTheItems: "Search the items",
  nothingIsRememberedYet: "Nothing is remembered yet",
  graphsKeepWhatThey: (
    <>
      Graphs keep what they learn here with <code>store.put(namespace, key, value)</code>; clients do with{" "}
      <code>PUT /store/items</code>.
    </>
  ),
  byMeaningTheBest: "By meaning, the best match first",
  withThisTextAmong: (searched: number) => `With this text, among the newest ${searched}`,
  withThisText: "With this text",
  items: "Items",
  noItemsMatch: "No items match",
  noItemsHere: "No items here",
  searchForSomethingElse: "Search for something else, or in another namespace.",
  similarity: "Similarity",
  allNamespaces: "All namespaces",
  namespaces: "Namespaces",
} as const;
