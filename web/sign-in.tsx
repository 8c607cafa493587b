import type { SignIn } from "@berth/server";
import { KeyRound } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { RequestFailed, SIGNED_OUT, type SignInPlace, sessionPath, signIn, UNKNOWN } from "./api/index.ts";
import { useNotices, useResource } from "./data/index.ts";
import { Button, Logo, TextField } from "./ui/index.ts";
import { WORDS } from "./words.ts";
import "./sign-in.css";

const ASKED = {
  key: {
    lead: WORDS.askForApiKey,
    label: WORDS.apiKey,
    wrong: WORDS.invalidApiKey,
  },
  token: {
    lead: WORDS.askForToken,
    label: WORDS.token,
    wrong: WORDS.invalidToken,
  },
};

type SignInPageProps = { asksFor: keyof typeof ASKED; place?: SignInPlace; onSignedIn: () => void };

/** Asks for an API key, or for what the project knows people by, and trades it for a session of this browser. */
export function SignInPage({ asksFor, place = "", onSignedIn }: SignInPageProps) {
  const words = ASKED[asksFor];
  const [apiKey, setApiKey] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = WORDS.pageTitle;
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(apiKey.trim(), place);
      onSignedIn();
    } catch (failure) {
      setError(isRefusal(failure) ? words.wrong : told(failure));
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit}>
        <Logo size={40} />
        <h1>{WORDS.heading}</h1>
        <p className="sign-in-lead">{words.lead}</p>
        <TextField
          label={words.label}
          type="password"
          name="api_key"
          autoComplete="current-password"
          autoFocus
          required
          icon={<KeyRound />}
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          data-testid="sign-in-key"
          {...(error ? { error } : {})}
        />
        <Button look="primary" type="submit" disabled={busy || !apiKey.trim()} data-testid="sign-in-submit">
          {busy ? WORDS.signingIn : WORDS.signIn}
        </Button>
      </form>
    </main>
  );
}

const isRefusal = (failure: unknown) =>
  failure instanceof RequestFailed && (failure.status === 401 || failure.status === 403);

const told = (failure: unknown) => (failure instanceof RequestFailed ? failure.message : String(failure));

type KnownSignIn = {
  signIn: SignIn | undefined;
  /** Nothing is served here any more: the deployment was deleted. */
  isGone: boolean;
  changed: () => void;
};

/**
 * Who the server takes this browser for; asked again whenever a request is refused. One that cannot say will say so
 * again at the first request, where there is a place to show it.
 */
export function useSignIn(place: SignInPlace = ""): KnownSignIn {
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
  return { signIn: data ?? (error && UNKNOWN), isGone: error?.status === 404, changed };
}
