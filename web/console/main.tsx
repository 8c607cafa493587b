import type { SignIn, Workspace } from "@berth/server";
import { type ReactNode, useEffect, useState } from "react";
import { base } from "../api/index.ts";
import { SignInPage, useSignIn } from "../sign-in.tsx";
import { mount, Spinner, ToastProvider } from "../ui/index.ts";
import { DataProvider, lastWorkspace, SignedIn, startInWorkspace, useResource } from "./data/index.ts";
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
          <InWorkspace own={signIn.workspace}>
            <Frame signIn={signIn} onSignedOut={changed} />
          </InWorkspace>
        </ToastProvider>
      </DataProvider>
    </SignedIn>
  );
}

/**
 * A key of the organization has to say which workspace it means, with every request. The page begins in the key's own;
 * where another was chosen last in this browser, it asks first whether that is still there.
 */
function InWorkspace({ own, children }: { own: SignIn["workspace"]; children: ReactNode }) {
  const [isOwn] = useState(() => own !== null && (lastWorkspace() ?? own.id) === own.id);
  const asked = useResource<readonly Workspace[]>(isOwn ? null : "/v1/workspaces", { anywhere: true });
  const workspaces = isOwn && own ? [own] : asked.data;
  const [isChosen, setChosen] = useState(false);
  useEffect(() => {
    if (!workspaces || isChosen) return;
    startInWorkspace(workspaces);
    setChosen(true);
  }, [workspaces, isChosen]);
  if (isChosen) return children;
  // Who is signed out is asked to sign in.
  if (asked.error && asked.error.status !== 401) return <Problem error={asked.error} retry={asked.refresh} />;
  return <Spinner label={WORDS.loading} />;
}

mount(<Console />, base + PLACE);
