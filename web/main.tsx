import type { ComponentProps } from "react";
import { Redirect, useLocation, useRoute } from "wouter";
import { base, consoleAddress } from "./api/index.ts";
import { ChatPage } from "./chat/index.ts";
import { DataProvider } from "./data/index.ts";
import { SignInPage, useSignIn } from "./sign-in.tsx";
import { SourceContext, useFoundSource } from "./source/index.ts";
import { mount, Spinner, ToastProvider } from "./ui/index.ts";
import { WORDS } from "./words.ts";
import "./ui/tokens.css";
import "./ui/base.css";

/** Everything a person looks at in the chat. */
function App() {
  return (
    <DataProvider>
      <Pages />
    </DataProvider>
  );
}

/** What there is to see, by the address. */
function Pages() {
  const [location] = useLocation();
  const [isChat] = useRoute("/chat/:thread_id");
  const { signIn, isGone, changed } = useSignIn();
  const isKnown = isChat || location === "/" || location === "/sign-in";
  if (isGone) return <DeploymentGone />;
  if (!signIn) return <Spinner label={WORDS.loading} />;
  const mustSignIn = signIn.required && !signIn.signed_in;
  if (mustSignIn) return <SignInPage asksFor={signIn.asks_for ?? "key"} onSignedIn={changed} />;
  if (location === "/sign-in" && isWantedFrom("docs")) {
    window.location.replace(`${base}/docs`);
    return <Spinner label={WORDS.loading} />;
  }
  if (!isKnown || location === "/sign-in") return <Redirect to="/" replace />;
  return (
    <DataProvider>
      <ToastProvider>
        <SourcedChat signIn={signIn} onSignedOut={changed} />
      </ToastProvider>
    </DataProvider>
  );
}

/** The chat, once it is known what its server has. */
function SourcedChat(props: ComponentProps<typeof ChatPage>) {
  const source = useFoundSource(props.signIn.deployment !== undefined);
  if (!source) return <Spinner label={WORDS.loading} />;
  return (
    <SourceContext key={source.threadsAt} value={source}>
      <ChatPage {...props} />
    </SourceContext>
  );
}

/** Stands in for the chat of a deployment that was deleted. */
function DeploymentGone() {
  return (
    <main className="gone" role="alert" data-testid="deployment-gone">
      <h1>{WORDS.deploymentNotFound}</h1>
      <p>{WORDS.deploymentGone}</p>
      <a className="button button-primary" href={consoleAddress}>
        {WORDS.toTheConsole}
      </a>
    </main>
  );
}

/** Whether somebody was on the way to this page when they had to sign in. */
const isWantedFrom = (page: string) => new URLSearchParams(window.location.search).get("next") === page;

mount(<App />, base);
