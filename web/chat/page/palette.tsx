import type { ThreadSummary } from "@berth/server";
import { MessageSquare, Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { threadsPath } from "../../api/index.ts";
import { useResource, useSettled } from "../../data/index.ts";
import { agoText, Palette, type PaletteEntry, useNow } from "../../ui/index.ts";

const MOST_SHOWN = 12;
const PAUSE_MS = 120;

/** Finds a conversation by a few letters. */
export function ChatPalette({ onNewChat, onClose }: { onNewChat: () => void; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const sought = useSettled(query, query === "" ? 0 : PAUSE_MS);
  const { data: threads = [] } = useResource<readonly ThreadSummary[]>(threadsPath(sought));
  const now = useNow();
  const entries: PaletteEntry[] = [
    ...threads.slice(0, MOST_SHOWN).map(({ id, title, updatedAt }) => ({
      id,
      label: title,
      icon: <MessageSquare />,
      note: updatedAt ? agoText(updatedAt, now, { short: true }) : "",
      onSelect: () => navigate(`/chat/${id}`),
    })),
    { id: "new", label: "New chat", icon: <Plus />, note: "", onSelect: onNewChat },
  ];
  return (
    <Palette
      title="Search conversations"
      listLabel="Conversations"
      query={query}
      onQuery={setQuery}
      entries={entries}
      onClose={onClose}
    />
  );
}
