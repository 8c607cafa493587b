import {
  Ban,
  Check,
  CircleAlert,
  CircleDashed,
  CircleDot,
  CircleHelp,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Pause,
  SkipForward,
} from "lucide-react";
import { Badge, classes } from "../../ui/index.ts";
import { WORDS } from "./words.ts";
import "./status-badge.css";

type Look = "neutral" | "accent" | "positive" | "caution" | "negative";
type Sign = { look: Look; icon: LucideIcon; words?: string };

const good: Sign = { look: "positive", icon: Check };
const bad: Sign = { look: "negative", icon: CircleAlert };
const busy: Sign = { look: "accent", icon: LoaderCircle };
const waits: Sign = { look: "neutral", icon: Clock };
const over: Sign = { look: "neutral", icon: Ban };

/** Every state that the API knows, of whatever thing, in one language of colours. */
const SIGNS: Record<string, Sign> = {
  // Revisions.
  creating: busy,
  queued: waits,
  awaiting_build: { ...waits, words: WORDS.waitingToBuild },
  building: busy,
  awaiting_deploy: { ...waits, words: WORDS.waitingToStart },
  deploying: { ...busy, words: WORDS.starting },
  deployed: good,
  create_failed: { ...bad, words: WORDS.notCreated },
  build_failed: { ...bad, words: WORDS.buildFailed },
  deploy_failed: { ...bad, words: WORDS.startFailed },
  skipped: { look: "neutral", icon: SkipForward },
  interrupted: { look: "caution", icon: Pause },
  unknown: { look: "caution", icon: CircleHelp },
  // Instances.
  starting: { ...busy, words: WORDS.starting },
  serving: { ...good, words: WORDS.serving },
  draining: { ...busy, words: WORDS.finishing },
  asleep: { look: "neutral", icon: Pause, words: WORDS.asleep },
  // Deployments.
  awaiting_database: { ...waits, words: WORDS.waitingForItsDatabase },
  ready: { ...good, words: WORDS.ready },
  unused: { ...over, words: WORDS.unused },
  awaiting_delete: { ...busy, words: WORDS.beingDeleted },
  // Runs, traces, threads and scans.
  pending: waits,
  running: busy,
  success: good,
  completed: good,
  error: bad,
  failed: bad,
  timeout: { ...bad, words: WORDS.timedOut },
  cancelled: over,
  idle: { look: "neutral", icon: CircleDashed },
  busy: { ...busy, words: WORDS.busy },
  // Issues.
  open: { look: "caution", icon: CircleDot },
  closed: { look: "neutral", icon: Check },
  muted: { look: "neutral", icon: Pause },
  // Subscriptions and deliveries.
  active: good,
  failing: bad,
  disabled: over,
  delivered: good,
  succeeded: good,
  leased: { ...busy, words: WORDS.beingSent },
  due: waits,
  retrying: { look: "caution", icon: Clock },
  dead: { ...bad, words: WORDS.deliveryFailed },
  // Checks.
  ok: { ...good, words: WORDS.ok },
  warning: { look: "caution", icon: CircleAlert },
  failure: bad,
};

/** A state as a word with an icon; colour alone never says it. */
export function StatusBadge({ status, words }: { status: string; words?: string }) {
  const name = status.toLowerCase();
  const sign = SIGNS[name] ?? { look: "neutral" as const, icon: CircleDashed };
  const Icon = sign.icon;
  return (
    <Badge look={sign.look} className="status-badge" data-testid="status" data-status={status}>
      <Icon aria-hidden="true" className={classes(Icon === LoaderCircle && "status-badge-turns")} />
      {words ?? sign.words ?? wordsOf(name)}
    </Badge>
  );
}

/** `awaiting_build` → `Awaiting build`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
