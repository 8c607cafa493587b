import type { Assistant } from "@berth/server";
import { useAddressQuery } from "../data/index.ts";
import { type SettingsDraft, useSettings } from "./settings.tsx";
import { type Lane, useLane } from "./use-lane.ts";
import { WORDS } from "./words.tsx";

/** What a lane is called in the address. */
type LaneNames = { assistant: string; thread: string; label: string };

export const FIRST: LaneNames = { assistant: "assistant", thread: "thread", label: WORDS.runA };
export const SECOND: LaneNames = { assistant: "with", thread: "with_thread", label: WORDS.runB };

export type LaneAt = {
  lane: Lane;
  settings: SettingsDraft;
  names: LaneNames;
  choose(assistantId: string): void;
  open(threadId: string | null): void;
};

type LaneAtOptions = { base: string; assistants: readonly Assistant[]; names: LaneNames; isOn: boolean };

/** A lane as the address names it. */
export function useLaneAt({ base, assistants, names, isOn }: LaneAtOptions): LaneAt {
  const query = useAddressQuery();
  const threadId = (isOn && query.get(names.thread)) || undefined;
  const id = idIn(assistants, query.get(names.assistant));
  const assistant = isOn ? assistants.find(({ assistant_id }) => assistant_id === id) : undefined;
  const open = (thread: string | null) => setInAddress({ [names.thread]: thread, checkpoint: null });
  const lane = useLane({ base, assistant, threadId, onThread: open });
  const settings = useSettings(base, assistant);
  const choose = (next: string) =>
    setInAddress({ [names.assistant]: next, [names.thread]: null, checkpoint: null });
  return { lane, settings, names, choose, open };
}

/** Changes the address as it is now: both lanes may begin a thread at once, and each says only what is its own. */
export function setInAddress(changes: Record<string, string | null>): void {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  window.history.replaceState(window.history.state, "", url);
}

/** The assistant that the address names, or the first there is. */
export const idIn = (assistants: readonly Assistant[] | undefined, id: string): string =>
  (assistants?.find(({ assistant_id }) => assistant_id === id) ?? assistants?.[0])?.assistant_id ?? "";
