export { AuthRefusal } from "./auth-refusal.ts";
export { type AuthUser, configurableUser, isAuthName, isUsers, studioUser, userOf } from "./auth-user.ts";
export { type AuthHandlers, type AuthResource, type DeclaredSecurity, ProjectAuth } from "./project-auth.ts";
