export { ANY, PathMap, type Place } from "./path-map.ts";
export * from "./policies.ts";
export {
  type Asks,
  type BodyLimit,
  isOpen,
  isProof,
  type Policy,
  type Tenant,
  UNKNOWN_FIELDS,
  type UnknownFields,
} from "./policy.ts";
export { SURROUNDINGS } from "./surroundings.ts";
