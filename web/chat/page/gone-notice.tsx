import { Trash2 } from "lucide-react";
import { Button } from "../../ui/index.ts";

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
