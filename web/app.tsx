import { useCallback, useEffect, useRef, useState } from "react";
import { Redirect, useLocation, useRoute } from "wouter";
import { readSignIn, SIGNED_OUT, type SignIn } from "./api/index.ts";
import { ChatPage } from "./chat/page/chat-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { Spinner, ToastProvider } from "./ui/index.ts";

/** Everything a person looks at, by the address. */
export function App() {
  const [location] = useLocation();
  const [isChat] = useRoute("/chat/:thread_id");
  const { signIn, changed } = useSignIn();
  const isKnown = isChat || location === "/" || location === "/sign-in";
  if (!signIn) return <Spinner label="Loading" />;
  const mustSignIn = signIn.required && !signIn.signed_in;
  if (mustSignIn) return <SignInPage asksFor={signIn.asks_for ?? "key"} onSignedIn={changed} />;
  if (!isKnown || location === "/sign-in") return <Redirect to="/" replace />;
  return (
    <ToastProvider>
      <ChatPage signIn={signIn} onSignedOut={changed} />
    </ToastProvider>
  );
}

/** Who the server takes this browser for; asked again whenever a request is refused. */
function useSignIn() {
  const [signIn, setSignIn] = useState<SignIn>();
  const refresh = useCallback(() => {
    // A server that cannot say will say so again at the first request, where there is a place to show it.
    readSignIn().then(setSignIn, () =>
      setSignIn((before) => before ?? { required: false, signed_in: false }),
    );
  }, []);
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
