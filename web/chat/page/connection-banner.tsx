import { useEffect } from "react";
import { ConnectionBanner } from "../../ui/index.ts";
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
