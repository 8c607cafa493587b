export {
  type AuthHandlers,
  AuthRefusal,
  type AuthResource,
  type AuthUser,
  configurableUser,
  type DeclaredSecurity,
  isAuthName,
  isUsers,
  ProjectAuth,
  studioUser,
  userOf,
} from "./project-auth.ts";
