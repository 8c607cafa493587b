import type { Workspace } from "@berth/server";
import { type ReactNode, useEffect, useState } from "react";
import { base } from "../api/index.ts";
import { SignInPage, useSignIn } from "../sign-in.tsx";
import { mount, Spinner, ToastProvider } from "../ui/index.ts";
import { DataProvider, SignedIn, startInWorkspace, useResource } from "./data/index.ts";
import { Frame, useScreenCode } from "./frame/index.ts";
import { Problem } from "./ui/index.ts";
import { WORDS } from "./words.ts";
import "../ui/tokens.css";
import "../ui/base.css";

const PLACE = "/console";

/** The console, from its sign-in on. */
function Console() {
  return (
    <DataProvider>
      <BehindSignIn />
    </DataProvider>
  );
}

function BehindSignIn() {
  const { signIn, changed } = useSignIn(PLACE);
  useScreenCode();
  if (!signIn) return <Spinner label={WORDS.loading} />;
  if (signIn.required && !signIn.signed_in)
    return <SignInPage asksFor="key" place={PLACE} onSignedIn={changed} />;
  return (
    <SignedIn value={signIn}>
      <DataProvider>
        <ToastProvider>
          <InWorkspace>
            <Frame signIn={signIn} onSignedOut={changed} />
          </InWorkspace>
        </ToastProvider>
      </DataProvider>
    </SignedIn>
  );
}

/** A key of the organization has to say which workspace it means, with every request: so that is asked first. */
function InWorkspace({ children }: { children: ReactNode }) {
  const { data, error, refresh } = useResource<readonly Workspace[]>("/v1/workspaces", { anywhere: true });
  const [isChosen, setChosen] = useState(false);
  useEffect(() => {
    if (!data || isChosen) return;
    startInWorkspace(data);
    setChosen(true);
  }, [data, isChosen]);
  if (isChosen) return children;
  // Who is signed out is asked to sign in.
  if (error && error.status !== 401) return <Problem error={error} retry={refresh} />;
  return <Spinner label={WORDS.loading} />;
}

mount(<Console />, base + PLACE);
