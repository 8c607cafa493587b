export { ANY, PathMap } from "./path-map.ts";
export type { Place } from "./place.ts";
export * from "./policies.ts";
export {
  type Asks,
  type BodyLimit,
  isOpen,
  type Policy,
  type Tenant,
} from "./policy.ts";
export { SURROUNDINGS } from "./surroundings.ts";
