import type { Attempt } from "@berth/server";
import { Ago, Duration, StatusBadge } from "../ui/index.ts";

/** What became of an attempt that got no status, in words. */
const OUTCOMES: Record<string, string> = {
  timeout: "No answer in time",
  dns: "Name not found",
  connect: "Not reached",
  tls: "TLS failed",
  blocked: "Not allowed",
  reset: "Connection lost",
  aborted: "Cut off",
};

/** Every time that a delivery was sent, the last first. */
export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="dialog-note">It was not sent yet.</p>;
  return (
    <ol className="attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number} className="attempt" data-testid="attempt">
          <AttemptHead attempt={attempt} />
          {attempt.error !== null && <p className="attempt-error">{attempt.error}</p>}
          <AttemptDetails attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function AttemptHead({ attempt }: { attempt: Attempt }) {
  const { number, manual, target, started_at, duration_ms, outcome, late } = attempt;
  return (
    <div className="attempt-head">
      <strong>{`Attempt ${number}`}</strong>
      <StatusBadge status={signOf(attempt)} words={wordsOf(attempt)} />
      <span>{`to ${target}`}</span>
      <Ago at={started_at} />
      {outcome !== null && (
        <span>
          took <Duration ms={duration_ms} />
        </span>
      )}
      {manual && <span>asked for by hand</span>}
      {late && <span>too late to count</span>}
    </div>
  );
}

function signOf({ outcome }: Attempt): string {
  if (outcome === null) return "leased";
  return outcome === "ok" ? "success" : "failed";
}

function wordsOf({ outcome, status }: Attempt): string {
  if (outcome === null) return "On its way";
  return status === null ? (OUTCOMES[outcome] ?? outcome) : `HTTP ${status}`;
}

function AttemptDetails({ attempt: { request_headers, response } }: { attempt: Attempt }) {
  const headers = Object.entries(request_headers ?? {});
  return (
    <>
      {headers.length > 0 && (
        <details>
          <summary>{`${headers.length} headers that were sent`}</summary>
          <dl>
            {headers.map(([name, value]) => (
              <Header key={name} name={name} value={value} />
            ))}
          </dl>
        </details>
      )}
      {response !== null && response !== "" && (
        <details>
          <summary>The beginning of the answer</summary>
          <pre>{response}</pre>
        </details>
      )}
    </>
  );
}

function Header({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
