import type { GraphSchemas, SignIn } from "@berth/server";
import { request } from "./request.ts";

/** As long as nothing is known of this server. */
export const UNKNOWN: SignIn = {
  required: false,
  signed_in: false,
  workspace: null,
  has_console: false,
  is_operator: false,
};

/** Where one signs in: the chat does as its project wants it, the console with an API key. */
export type SignInPlace = "" | "/console";

/** Where it is told who the server takes this browser for. */
export const sessionPath = (place: SignInPlace = ""): string => `${place}/api/session`;

/** Trades an API key, or what the project knows people by, for a session of this browser, which the page itself cannot read. */
export function signIn(apiKey: string, place: SignInPlace = ""): Promise<void> {
  return request(`${place}/sign-in`, { method: "POST", body: { api_key: apiKey } });
}

export function signOut(place: SignInPlace = ""): Promise<void> {
  return request(`${place}/sign-out`, { method: "POST" });
}

/** What an assistant's graph declares. */
export type AssistantSchemas = Pick<GraphSchemas, "input_schema" | "context_schema" | "config_schema">;
