import { request } from "./request.ts";

/** Whether this server asks who is there, and whether it knows. */
export type SignIn = {
  required: boolean;
  signed_in: boolean;
  workspace?: string | null;
  /** What it wants to know people by; an API key where it does not say. */
  asks_for?: "token";
};

export function readSignIn(): Promise<SignIn> {
  return request("/api/session");
}

/** Trades an API key, or what the project knows people by, for a session of this browser, which the page itself cannot read. */
export function signIn(apiKey: string): Promise<void> {
  return request("/sign-in", { method: "POST", body: { api_key: apiKey } });
}

export function signOut(): Promise<void> {
  return request("/sign-out", { method: "POST" });
}
