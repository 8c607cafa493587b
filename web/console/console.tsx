import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { SignInPage } from "../sign-in/sign-in-page.tsx";
import { useSignIn } from "../sign-in/use-sign-in.ts";
import { Spinner, ToastProvider } from "../ui/index.ts";
import { api, RequestFailed, SignedIn, startInWorkspace, type Workspace } from "./data/index.ts";
import { Frame } from "./frame/frame.tsx";
import { Problem } from "./ui/index.ts";

const PLACE = "/console";

/** Everything behind the sign-in of the console. */
export function Console() {
  const { signIn, changed } = useSignIn(PLACE);
  if (!signIn) return <Spinner label="Loading" />;
  if (signIn.required && !signIn.signed_in)
    return <SignInPage asksFor="key" place={PLACE} onSignedIn={changed} />;
  return (
    <SignedIn value={signIn}>
      <ToastProvider>
        <InWorkspace>
          {(workspaces) => <Frame signIn={signIn} workspaces={workspaces} onSignedOut={changed} />}
        </InWorkspace>
      </ToastProvider>
    </SignedIn>
  );
}

/** A refused request stays refused; one that did not arrive may do so the next time. */
const retry = (count: number, error: unknown) =>
  count < 2 && error instanceof RequestFailed && (error.status === 0 || error.status >= 502);

const newClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        staleTime: 0,
        networkMode: "always",
      },
    },
  });

/** A key of the organization has to say which workspace it means, with every request: so that is asked first. */
function InWorkspace({ children }: { children: (workspaces: readonly Workspace[]) => React.ReactNode }) {
  const [client] = useState(newClient);
  const [workspaces, setWorkspaces] = useState<readonly Workspace[]>();
  const [error, setError] = useState<RequestFailed>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again.
  useEffect(() => {
    api<Workspace[]>("/v1/workspaces").then(
      (found) => {
        startInWorkspace(found);
        setWorkspaces(found);
        setError(undefined);
      },
      (failure: unknown) => failure instanceof RequestFailed && failure.status !== 401 && setError(failure),
    );
  }, [attempt]);
  if (error && !workspaces) return <Problem error={error} retry={() => setAttempt(attempt + 1)} />;
  if (!workspaces) return <Spinner label="Loading" />;
  return <QueryClientProvider client={client}>{children(workspaces)}</QueryClientProvider>;
}
