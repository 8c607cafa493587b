import { MessageSquare, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { listThreads, type ThreadSummary } from "../../api/index.ts";
import { Palette, type PaletteEntry } from "../../ui/index.ts";
import { relativeTime } from "../relative-time.ts";

const MOST_SHOWN = 12;
const PAUSE_MS = 120;

/** Finds a conversation by a few letters. */
export function ChatPalette({ onNewChat, onClose }: { onNewChat: () => void; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const threads = useFound(query);
  const now = Date.now();
  const entries: PaletteEntry[] = [
    ...threads.slice(0, MOST_SHOWN).map(({ id, title, updatedAt }) => ({
      id,
      label: title,
      icon: <MessageSquare />,
      note: updatedAt ? relativeTime(updatedAt, now) : "",
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

function useFound(query: string): readonly ThreadSummary[] {
  const [threads, setThreads] = useState<readonly ThreadSummary[]>([]);
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(
      () => listThreads(query, asked.signal).then(setThreads, () => {}),
      query ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [query]);
  return threads;
}
