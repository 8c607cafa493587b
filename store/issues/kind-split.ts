import type { Tx } from "../database/index.ts";
import type { FindingRow, FingerprintRow, IssueRow } from "../schema/index.ts";

/** Messages of the traces that went to another issue; more are not told apart one by one. */
const MOST_MESSAGES = 200;

type Split = { issue: IssueRow; to: string; now: number };

/**
 * Makes what a person told apart hold for later traces, too: a message that only traces of the new issue show becomes
 * a kind of its own, which takes this very message and no other.
 */
export async function splitKinds(tx: Tx, split: Split): Promise<void> {
  const { issue, to } = split;
  const moved = await tx
    .selectFrom("findings")
    .selectAll()
    .where("issue_id", "=", to)
    .orderBy("start_time")
    .execute();
  const messages = [
    ...Map.groupBy(moved, ({ fingerprint, message }) => `${fingerprint} ${message}`).values(),
  ];
  for (const [finding] of messages.slice(0, MOST_MESSAGES)) {
    if (!finding || (await staysIn(tx, issue, finding))) continue;
    const kind = await tx
      .selectFrom("fingerprints")
      .selectAll()
      .where("session_id", "=", issue.session_id)
      .where("fingerprint", "=", finding.fingerprint)
      .executeTakeFirst();
    if (kind && kind.template !== finding.message) await takeOut(tx, split, kind, finding);
  }
}

async function staysIn(tx: Tx, { id }: IssueRow, { fingerprint, message }: FindingRow): Promise<boolean> {
  const stays = await tx
    .selectFrom("findings")
    .select("trace_id")
    .where("issue_id", "=", id)
    .where("fingerprint", "=", fingerprint)
    .where("message", "=", message)
    .limit(1)
    .executeTakeFirst();
  return stays !== undefined;
}

async function takeOut(tx: Tx, { to, now }: Split, kind: FingerprintRow, finding: FindingRow): Promise<void> {
  const { session_id, message } = finding;
  const digest = new Bun.CryptoHasher("sha256").update(`${kind.fingerprint} ${message}`).digest("hex");
  const fingerprint = `v${kind.version}-${digest.slice(0, 32)}`;
  const { place, version } = kind;
  await tx
    .insertInto("fingerprints")
    .values({
      ...{ session_id, fingerprint, place, version, template: message, exact: 1 },
      ...{ frames: kind.frames, replaces: null, created_at: now },
    })
    .onConflict((there) => there.doNothing())
    .execute();
  const { detector, error_type, node, tool, reason, thrown_at } = finding;
  await tx
    .insertInto("issue_fingerprints")
    .values({
      ...{ session_id, fingerprint, issue_id: to, version, detector, error_type, node, tool },
      ...{ message, reason, thrown_at, created_at: now },
    })
    .onConflict((there) => there.doNothing())
    .execute();
  const ofMessage = tx
    .selectFrom("findings")
    .select("trace_id")
    .where("issue_id", "=", to)
    .where("fingerprint", "=", kind.fingerprint)
    .where("message", "=", message);
  await tx
    .updateTable("issue_traces")
    .set({ fingerprint })
    .where("issue_id", "=", to)
    .where("trace_id", "in", ofMessage)
    .execute();
  await tx
    .updateTable("findings")
    .set({ fingerprint })
    .where("issue_id", "=", to)
    .where("fingerprint", "=", kind.fingerprint)
    .where("message", "=", message)
    .execute();
}
