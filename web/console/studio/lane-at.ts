import type { Assistant } from "@berth/server";
import { useState } from "react";
import { useAddressQuery } from "../data/index.ts";
import { type SettingsDraft, useSettings } from "./settings.tsx";
import { type Lane, useLane } from "./use-lane.ts";

/** What a lane is called in the address. */
type LaneNames = { assistant: string; thread: string; label: string };

export const FIRST: LaneNames = { assistant: "assistant", thread: "thread", label: "Run A" };
export const SECOND: LaneNames = { assistant: "with", thread: "with_thread", label: "Run B" };

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
  // Both lanes may begin a thread at once: each says only what is its own, of the address as it is then.
  const [opened, setOpened] = useState<string | null>();
  const inAddress = query.get(names.thread);
  const threadId = (isOn && (opened === undefined ? inAddress : opened)) || undefined;
  const id = idIn(assistants, query.get(names.assistant));
  const assistant = isOn ? assistants.find(({ assistant_id }) => assistant_id === id) : undefined;
  const open = (thread: string | null) => {
    setOpened(thread);
    setInAddress({ [names.thread]: thread });
  };
  const lane = useLane({ base, assistant, threadId, onThread: open });
  const settings = useSettings(base, assistant);
  const choose = (next: string) => {
    setOpened(null);
    query.set({ [names.assistant]: next, [names.thread]: null });
  };
  return { lane, settings, names, choose, open };
}

/** Changes the address without a look at what was rendered. */
function setInAddress(changes: Record<string, string | null>): void {
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
