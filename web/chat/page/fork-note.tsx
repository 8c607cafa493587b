import { GitBranch } from "lucide-react";
import { Button } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";

/** Says that the next message branches off from an earlier checkpoint, and takes it back. */
export function ForkNote() {
  const { fork, setFork } = useSession();
  if (!fork) return null;
  return (
    <div className="fork-note" role="status" data-testid="fork-note">
      <GitBranch />
      <span>
        Your next message branches off from checkpoint <code>{fork.slice(-12)}</code>.
      </span>
      <Button size="small" look="quiet" onClick={() => setFork(undefined)}>
        Cancel
      </Button>
    </div>
  );
}
