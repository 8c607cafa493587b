import { request } from "./request.ts";

/** Whether this server asks who is there, and whether it knows. */
export type SignIn = {
  required: boolean;
  signed_in: boolean;
  workspace?: { id: string; name: string } | null;
  /** Whether deployments and what is around them are looked after here. */
  has_console?: boolean;
  /** Whether they may see what is of the whole server, and not of one workspace. */
  is_operator?: boolean;
  /** What it wants to know people by; an API key where it does not say. */
  asks_for?: "token";
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
