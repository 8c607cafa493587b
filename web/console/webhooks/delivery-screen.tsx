import type { Attempt, Subscription, WholeDelivery } from "@berth/server";
import { RotateCw } from "lucide-react";
import { Link, useParams } from "wouter";
import { Button } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import {
  Ago,
  Duration,
  type Fact,
  Facts,
  JsonView,
  PageHead,
  Section,
  StatusBadge,
  ThingScreen,
} from "../ui/index.ts";
import { targetOf } from "../webhook.tsx";
import { WORDS } from "./words.tsx";
import "./webhooks.css";

const BACK = { href: "/webhooks?tab=deliveries", label: WORDS.deliveries };

/** `/console/deliveries/{id}`: an event on its way, with the bytes that are sent and every attempt. */
export function DeliveryScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<WholeDelivery>
      path={`/v1/deliveries/${id}`}
      live={["deliveries"]}
      title={WORDS.delivery}
      back={BACK}
    >
      {(delivery) => <ShownDelivery delivery={delivery} />}
    </ThingScreen>
  );
}

function ShownDelivery({ delivery }: { delivery: WholeDelivery }) {
  const { id, type, state, reason, subscription_id, url, body, attempts } = delivery;
  const path = subscription_id === null ? null : `/v1/issue-webhooks/${subscription_id}`;
  const { data: subscription, error } = useResource<Subscription>(path);
  const { run, busy } = useAction();
  const again = () => run(() => api(`/v1/deliveries/${id}/redeliver`, { method: "POST" }), WORDS.sentAgain);
  const goesTo = subscription ? (
    <Link href={`/webhooks/${subscription.id}`}>{targetOf(subscription)}</Link>
  ) : (
    (url ?? (error ? WORDS.deletedWebhook : ""))
  );
  return (
    <>
      <PageHead
        title={type}
        back={BACK}
        sub={<Standing delivery={delivery} />}
        actions={
          <Button
            icon={<RotateCw />}
            disabled={busy || state === "leased" || error !== undefined}
            onClick={again}
            data-testid="redeliver"
          >
            {WORDS.sendAgain}
          </Button>
        }
      />
      {reason !== null && <p className="notice notice-bad">{reason}</p>}
      <Facts
        items={[
          { label: WORDS.to, value: goesTo },
          { label: WORDS.id, value: <code>{id}</code> },
          { label: WORDS.request, value: <code>{delivery.request_id}</code> },
          ...aboutIssue(delivery.issue_id),
          { label: WORDS.attempts, value: attemptWords(delivery) },
        ]}
      />
      <div className="webhook-parts">
        <Section title={WORDS.attempts} testId="attempts">
          <AttemptList attempts={attempts} />
        </Section>
        <Body body={body} isChat={subscription?.channel !== undefined} />
      </div>
    </>
  );
}

/** How it stands, and since when. */
function Standing({ delivery }: { delivery: WholeDelivery }) {
  const { state, test, attempt_count, created_at, due_at } = delivery;
  return (
    <>
      <StatusBadge status={state === "queued" && attempt_count > 0 ? "retrying" : state} />
      {test && <span>{WORDS.aTest}</span>}
      <span>{WORDS.created(<Ago at={created_at} />)}</span>
      {state === "queued" && <span>{WORDS.nextAttempt(<Ago at={due_at} />)}</span>}
    </>
  );
}

function aboutIssue(id: string | null): Fact[] {
  return id === null
    ? []
    : [{ label: WORDS.issue, value: <Link href={`/issues/${id}`}>{WORDS.openTheIssue}</Link> }];
}

function attemptWords({ attempt_count, try_count }: WholeDelivery): string {
  const byHand = try_count - attempt_count;
  return byHand > 0 ? WORDS.attemptsAndByHand(attempt_count, byHand) : WORDS.attemptsOf4(attempt_count);
}

/** The bytes as they are sent: nothing is indented or put in another order. */
function Body({ body, isChat }: { body: string; isChat: boolean }) {
  const bytes = new TextEncoder().encode(body).length;
  const note = isChat ? WORDS.chatGetsMessage : WORDS.bytesAsSent(bytes.toLocaleString());
  return (
    <Section title={WORDS.body} note={note} testId="delivery-body">
      <JsonView value={body} label={WORDS.body} />
    </Section>
  );
}

/** What became of an attempt that got no status, in words. */
const OUTCOMES: Record<string, string> = {
  timeout: WORDS.noAnswerInTime,
  dns: WORDS.nameNotFound,
  connect: WORDS.notReached,
  tls: WORDS.tlsFailed,
  blocked: WORDS.notAllowed,
  reset: WORDS.connectionLost,
  aborted: WORDS.cutOff,
};

/** Every time that a delivery was sent, the last first. */
function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="dialog-note">{WORDS.notSentYet}</p>;
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
      <strong>{WORDS.attempt(number)}</strong>
      <StatusBadge status={signOf(attempt)} words={wordsOf(attempt)} />
      <span>{WORDS.toTarget(target)}</span>
      <Ago at={started_at} />
      {outcome !== null && <span>{WORDS.took(<Duration ms={duration_ms} />)}</span>}
      {manual && <span>{WORDS.sentByHand}</span>}
      {late && <span>{WORDS.tooLateToCount}</span>}
    </div>
  );
}

function signOf({ outcome }: Attempt): string {
  if (outcome === null) return "leased";
  return outcome === "ok" ? "success" : "failed";
}

function wordsOf({ outcome, status }: Attempt): string {
  if (outcome === null) return WORDS.onItsWay;
  return status === null ? (OUTCOMES[outcome] ?? outcome) : WORDS.http(status);
}

function AttemptDetails({ attempt: { request_headers, response } }: { attempt: Attempt }) {
  const headers = Object.entries(request_headers ?? {});
  return (
    <>
      {headers.length > 0 && (
        <details>
          <summary>{WORDS.headersSent(headers.length)}</summary>
          <dl>
            {headers.map(([name, value]) => (
              <Header key={name} name={name} value={value} />
            ))}
          </dl>
        </details>
      )}
      {response !== null && response !== "" && (
        <details>
          <summary>{WORDS.answerBeginning}</summary>
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
