import type { Span } from "@berth/server";
import { Box, Braces, Hash, MessageSquareText, Search, Sparkles, Workflow, Wrench } from "lucide-react";

const KINDS: Record<string, { name: string; icon: typeof Box }> = {
  llm: { name: "Model call", icon: Sparkles },
  tool: { name: "Tool call", icon: Wrench },
  retriever: { name: "Retrieval", icon: Search },
  embedding: { name: "Embedding", icon: Hash },
  prompt: { name: "Prompt", icon: MessageSquareText },
  parser: { name: "Parser", icon: Braces },
};

/** What kind of thing a span is, in words. */
export function kindOf({ run_type, parent_id, node, name }: Span): string {
  const known = KINDS[run_type]?.name;
  if (known) return known;
  if (parent_id === null) return "Run";
  return node === name ? "Node" : "Step";
}

export function SpanIcon({ span }: { span: Span }) {
  const Icon = KINDS[span.run_type]?.icon ?? (span.parent_id === null ? Workflow : Box);
  return <Icon className={`span-icon span-icon-${span.run_type}`} aria-hidden="true" />;
}
