import type { SignIn } from "@berth/server";
import { useCallback, useEffect } from "react";
import { SIGNED_OUT, type SignInPlace, sessionPath, UNKNOWN } from "../api/index.ts";
import { useNotices, useResource } from "../data/index.ts";

/**
 * Who the server takes this browser for; asked again whenever a request is refused. One that cannot say will say so
 * again at the first request, where there is a place to show it.
 */
export function useSignIn(place: SignInPlace = ""): { signIn: SignIn | undefined; changed: () => void } {
  const { data, error, refresh } = useResource<SignIn>(sessionPath(place), { anywhere: true, once: true });
  const tell = useNotices<"changed">("berth-sign-in", refresh);
  useEffect(() => {
    window.addEventListener(SIGNED_OUT, refresh);
    return () => window.removeEventListener(SIGNED_OUT, refresh);
  }, [refresh]);
  /** Who leaves or comes in here does so in all tabs. */
  const changed = useCallback(() => {
    refresh();
    tell("changed");
  }, [refresh, tell]);
  return { signIn: data ?? (error && UNKNOWN), changed };
}
