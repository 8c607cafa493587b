import { ChevronLeft, ChevronRight } from "lucide-react";
import { IconButton } from "../../../ui/index.ts";
import { useConversation } from "../conversation-context.ts";
import type { Fork } from "../timeline/index.ts";

/** `‹ 2/3 ›`: walks through the ways that the conversation went on from here. */
export function BranchSwitch({ fork }: { fork: Fork }) {
  const { choose } = useConversation();
  const { place, leaves } = fork;
  const go = (to: number) => {
    const leaf = leaves[to];
    if (leaf) choose(leaf);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons in a line of text are no fieldset
    <span className="branch" role="group" aria-label="Branches of the conversation">
      <IconButton
        label="Previous branch"
        size="small"
        data-testid="branch-prev"
        disabled={place === 0}
        onClick={() => go(place - 1)}
      >
        <ChevronLeft />
      </IconButton>
      <span className="branch-label" data-testid="branch-label">
        <span className="visually-hidden">Branch </span>
        {place + 1}/{leaves.length}
      </span>
      <IconButton
        label="Next branch"
        size="small"
        data-testid="branch-next"
        disabled={place === leaves.length - 1}
        onClick={() => go(place + 1)}
      >
        <ChevronRight />
      </IconButton>
    </span>
  );
}
