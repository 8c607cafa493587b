import { GitBranch, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { Button, ConnectionBanner } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";

type ChatBannerProps = { onDeleted: () => void; onSignedOut: () => void };

/** Says when the conversation's live connection is gone; leaves where it will not come back. */
export function ChatBanner({ onDeleted, onSignedOut }: ChatBannerProps) {
  const { connection } = useSession();
  const { state } = connection;
  useEffect(() => {
    if (state === "deleted") onDeleted();
    if (state === "signed-out") onSignedOut();
  }, [state, onDeleted, onSignedOut]);
  const lostSince = connection.state === "reconnecting" ? connection.since : undefined;
  return <ConnectionBanner lostSince={lostSince} comfort="Nothing is lost" />;
}

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

/** Stands in for a conversation that is not there. */
export function GoneNotice({ wasDeleted, onNewChat }: { wasDeleted: boolean; onNewChat: () => void }) {
  return (
    <div className="gone" role="alert" data-testid="thread-gone">
      <Trash2 />
      <h1>{wasDeleted ? "This conversation was deleted" : "There is no such conversation"}</h1>
      <p>
        {wasDeleted
          ? "It was removed in another tab or by another person."
          : "It may have been deleted, or the address is not quite right."}
      </p>
      <Button look="primary" onClick={onNewChat}>
        Start a new chat
      </Button>
    </div>
  );
}
