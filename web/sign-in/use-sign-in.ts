import { useCallback, useEffect, useRef, useState } from "react";
import { SIGNED_OUT } from "../api/request.ts";
import { readSignIn, type SignIn, type SignInPlace } from "../api/sign-in.ts";

/** Who the server takes this browser for; asked again whenever a request is refused. */
export function useSignIn(place: SignInPlace = ""): { signIn: SignIn | undefined; changed: () => void } {
  const [signIn, setSignIn] = useState<SignIn>();
  const refresh = useCallback(() => {
    // A server that cannot say will say so again at the first request, where there is a place to show it.
    readSignIn(place).then(setSignIn, () =>
      setSignIn((before) => before ?? { required: false, signed_in: false }),
    );
  }, [place]);
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    refresh();
    const opened = new BroadcastChannel("berth-sign-in");
    channel.current = opened;
    opened.onmessage = refresh;
    window.addEventListener(SIGNED_OUT, refresh);
    return () => {
      opened.close();
      window.removeEventListener(SIGNED_OUT, refresh);
    };
  }, [refresh]);
  /** Who leaves or comes in here does so in all tabs. */
  const changed = useCallback(() => {
    refresh();
    channel.current?.postMessage("changed");
  }, [refresh]);
  return { signIn, changed };
}
