export { makeProfiles } from "./make-profiles.ts";
