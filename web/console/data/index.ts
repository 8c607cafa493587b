// What the console asks with: the data layer of both pages, and where it looks: which project, as whom.
export * from "../../data/index.ts";
export { type AddressQuery, changedQuery, useAddressQuery } from "./address-query.ts";
export { useElsewhere } from "./elsewhere.ts";
export { type Project, type ProjectChoice, useOwnProject, useProject, useProjectChoices } from "./project.ts";
export { SignedIn, useHasKeys, useIsOperator } from "./signed-in.ts";
