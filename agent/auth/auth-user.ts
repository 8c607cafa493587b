import { isRecord } from "../record.ts";

/** Who a project's `authenticate` says is calling. */
export type AuthUser = {
  identity: string;
  permissions: string[];
  display_name: string;
  is_authenticated: boolean;
} & Record<string, unknown>;

/** Somebody at the Studio of whoever runs this server; handlers know them by their kind. */
export const studioUser: AuthUser = {
  kind: "StudioUser",
  identity: "langgraph-studio-user",
  display_name: "langgraph-studio-user",
  permissions: [],
  is_authenticated: true,
};

/** The user that an answer of `authenticate` stands for; undefined when it is none. */
export function userOf(answer: unknown): AuthUser | undefined {
  if (typeof answer === "string") return answer === "" ? undefined : complete({ identity: answer });
  if (!isRecord(answer) || typeof answer.identity !== "string" || answer.identity === "") return undefined;
  return complete({ ...answer, identity: answer.identity });
}

function complete(given: { identity: string } & Record<string, unknown>): AuthUser {
  const { identity, permissions, display_name, is_authenticated } = given;
  return {
    ...given,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    display_name: typeof display_name === "string" ? display_name : identity,
    is_authenticated: is_authenticated !== false,
  };
}

/** Names in `configurable` that only the server gives: callers must not speak for somebody else. */
export const isAuthName = (name: string): boolean => name.startsWith("langgraph_auth_");

/** Whether what the server tells graphs of a request says who sent it. */
export const isUsers = ({ headers }: { headers: Record<string, unknown> }): boolean =>
  "langgraph_auth_user_id" in headers;

/** A user as graphs find them in `configurable`. */
export function configurableUser(user: AuthUser): Record<string, unknown> {
  return {
    langgraph_auth_user: user,
    langgraph_auth_user_id: user.identity,
    langgraph_auth_permissions: user.permissions,
  };
}
