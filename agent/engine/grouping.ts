import type { Finding, GroupingRule, GroupingRules, Issues, KnownKind } from "@berth/store";
import {
  applied,
  type Kind,
  Kinds,
  keyOfRules,
  ownPrint,
  settled,
  UNITS,
  wordsOf,
} from "./fingerprint/index.ts";

/** A finding as its own trace shows it: what it shares with others is not known yet. */
export type Observed = Finding & {
  place: string;
  frames: string[];
  compared: boolean;
  /** The message as it was thrown. */
  text: string;
};

type Same = Pick<Finding, "trace_id" | "detector" | "node" | "tool" | "message">;

/**
 * Tells which findings are the same: those of one place whose messages differ only where values stand get one
 * fingerprint, that of the first. What was found before is known by the kinds that the store keeps.
 */
export async function grouped(
  { issues, rules }: { issues: Issues; rules: GroupingRules },
  sessionId: string,
  seen: readonly Observed[],
): Promise<Finding[]> {
  if (seen.length === 0) return [];
  const observed = ruled(await rules.of(sessionId), seen);
  const places = [...new Set(observed.filter(({ compared }) => compared).map(({ place }) => place))];
  const traceIds = [...new Set(observed.map(({ trace_id }) => trace_id))];
  const known = await issues.known(sessionId, places, traceIds);
  const before = new Map(known.findings.map((finding) => [keyOf(finding), finding.fingerprint]));
  const grouping = new Grouping(known.kinds);
  const found = new Map<string, Finding>();
  const kinds = observed.map((one) => grouping.kindOf(one, before.get(keyOf(one))));
  for (const [at, one] of observed.entries()) {
    const { compared: _, place, frames: __, text: ___, ...finding } = one;
    const { fingerprint, template, frames, took } = settled(kinds[at] ?? grouping.kindOf(one));
    const key = `${fingerprint} ${finding.trace_id}`;
    if (!found.has(key))
      found.set(key, { ...finding, fingerprint, kind: { place, template, frames, ...(took && { took }) } });
  }
  return [...found.values()];
}

/** What a rule of the project names gets its key. */
function ruled(rules: readonly GroupingRule[], observed: readonly Observed[]): readonly Observed[] {
  if (rules.length === 0) return observed;
  return observed.map((one) => {
    const key = keyOfRules(rules, { ...one, thrown_at: one.thrown_at ?? null });
    return key === undefined ? one : { ...one, ...ownPrint(key) };
  });
}

type Seen = Pick<Observed, "fingerprint" | "place" | "compared" | "message" | "frames">;

/** The kinds of failures that are known, by place; it learns from each that it is asked about. */
export class Grouping {
  readonly #places = new Map<string, Kinds>();

  constructor(private readonly known: readonly KnownKind[] = []) {}

  /**
   * The kind that a failure is of.
   * @param before the fingerprint that an earlier look gave it
   */
  kindOf(seen: Seen, before?: string): Kind {
    const { fingerprint, message, frames } = seen;
    const first = { fingerprint, template: message, frames, exact: false, waits: true, seen: 1 };
    if (!seen.compared) return first;
    const kinds = this.#at(seen);
    return (before !== undefined && kinds.get(before)) || kinds.find(message, frames) || kinds.add(first);
  }

  #at({ place }: Seen): Kinds {
    const there = this.#places.get(place);
    if (there) return there;
    const kinds = new Kinds();
    for (const kind of this.known) if (kind.place === place) kinds.add(kind);
    this.#places.set(place, kinds);
    return kinds;
  }
}

const keyOf = ({ trace_id, detector, node, tool, message }: Same) =>
  JSON.stringify([trace_id, detector, node, tool, message]);

/**
 * Whether a finding is what an issue of version 1 stands for: the same type, node and tool, and a message that has
 * something where the old one had a mark.
 */
export function isSameAsBefore(
  old: { error_type: string; node: string | null; tool: string | null; message: string },
  finding: Finding,
): boolean {
  if (old.error_type !== finding.error_type || old.node !== finding.node || old.tool !== finding.tool)
    return false;
  // Their own marks stood for everything that a value could be, but for the unit of a number.
  const parts = wordsOf(applied(old.message, UNITS)).map(({ kind, key }) =>
    kind === "mark" ? "\\S.*?" : RegExp.escape(key),
  );
  return new RegExp(`^${parts.join(" ?")}$`).test(
    wordsOf(finding.message)
      .map(({ key }) => key)
      .join(" "),
  );
}
