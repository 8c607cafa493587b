import { Redirect, useLocation, useRoute } from "wouter";
import { base } from "./api/base.ts";
import { ChatPage } from "./chat/page/chat-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { useSignIn } from "./sign-in/use-sign-in.ts";
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
  if (location === "/sign-in" && isWantedFrom("docs")) {
    window.location.replace(`${base}/docs`);
    return <Spinner label="Loading" />;
  }
  if (!isKnown || location === "/sign-in") return <Redirect to="/" replace />;
  return (
    <ToastProvider>
      <ChatPage signIn={signIn} onSignedOut={changed} />
    </ToastProvider>
  );
}

/** Whether somebody was on the way to this page when they had to sign in. */
const isWantedFrom = (page: string) => new URLSearchParams(window.location.search).get("next") === page;
