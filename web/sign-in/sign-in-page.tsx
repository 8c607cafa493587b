import { KeyRound } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { RequestFailed, signIn } from "../api/index.ts";
import { Button, TextField } from "../ui/index.ts";
import { Logo } from "../ui/logo.tsx";
import "./sign-in-page.css";

/** Asks for an API key, and trades it for a session of this browser. */
export function SignInPage({ onSignedIn }: { onSignedIn: () => void }) {
  const [apiKey, setApiKey] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = "Sign in · Berth";
  }, []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(apiKey.trim());
      onSignedIn();
    } catch (failure) {
      setError(wordsFor(failure));
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit}>
        <Logo size={40} />
        <h1>Sign in to Berth</h1>
        <p className="sign-in-lead">
          This server asks for an API key. The browser keeps a session, never the key.
        </p>
        <TextField
          label="API key"
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
          {busy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
    </main>
  );
}

function wordsFor(failure: unknown): string {
  if (!(failure instanceof RequestFailed)) return String(failure);
  if (failure.status === 401 || failure.status === 403) return "This key is not valid, or was revoked.";
  return failure.message;
}
