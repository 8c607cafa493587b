// What the console asks with: the data layer of both pages, and where it looks: which project, as whom.
export * from "../../data/index.ts";
export {
  type AddressQuery,
  changedQuery,
  type ProjectChoice,
  type ProjectPlace,
  SignedIn,
  useAddressQuery,
  useElsewhere,
  useHasKeys,
  useIsOperator,
  useOwnProject,
  useProject,
  useProjectChoices,
} from "./place.ts";
