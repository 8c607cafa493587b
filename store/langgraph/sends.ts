import {
  type Checkpoint,
  type CheckpointPendingWrite,
  maxChannelVersion,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { nextVersion } from "../checkpoints/index.ts";

/** From this format on, which LangGraph writes since 0.4, sends are a channel like others. */
const FORMAT_WITH_CHANNEL = 4;

export const hasSendsChannel = ({ v }: Pick<Checkpoint, "v">): boolean => v >= FORMAT_WITH_CHANNEL;

/** What of a checkpoint's writes is sends, in the order of the writes. */
export function sendsOf(writes: readonly CheckpointPendingWrite[]): unknown[] {
  return writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
}

/**
 * An older checkpoint with what its parent's tasks sent, in both forms: LangGraph before 0.4 reads `pending_sends`,
 * without asking whether there are any; later ones read the channel.
 * @param sends undefined where it has no parent
 */
export function withSends(checkpoint: Checkpoint, sends: unknown[] | undefined): Checkpoint {
  if (!sends) return listing(checkpoint, []);
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined);
  const migrated = {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
    channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
  };
  // The reader empties its list; the channel's value must stay.
  return listing(migrated, [...sends]);
}

const listing = (
  checkpoint: Checkpoint,
  pending_sends: unknown[],
): Checkpoint & { pending_sends: unknown[] } => ({
  ...checkpoint,
  pending_sends,
});
