export { AuthRefusal } from "./auth-refusal.ts";
export { type AuthUser, configurableUser, isAuthName, studioUser } from "./auth-user.ts";
export type { DeclaredSecurity } from "./declared-security.ts";
export { loadAuth } from "./load-auth.ts";
export { type AuthQuestion, type AuthResource, ProjectAuth } from "./project-auth.ts";
