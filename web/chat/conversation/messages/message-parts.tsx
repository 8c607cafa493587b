import { ChevronLeft, ChevronRight, FileText, Paperclip } from "lucide-react";
import { RemotePicture } from "../../../markdown/index.ts";
import { IconButton } from "../../../ui/index.ts";
import type { Attachment } from "../../composer/index.ts";
import { useConversation } from "../conversation-context.ts";
import type { Fork } from "../timeline/index.ts";
import { WORDS } from "../words.tsx";

/** What came with a message: pictures small, text files by name and opened on demand. */
export function AttachmentViews({ attachments }: { attachments: Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attached">
      {attachments.map((attachment, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a sent message do not change
        <li key={place}>
          <AttachmentView attachment={attachment} place={place + 1} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentView({ attachment, place }: { attachment: Attachment; place: number }) {
  if (attachment.kind === "image") {
    if (!/^(data:image\/|blob:)/.test(attachment.url))
      return <RemotePicture src={attachment.url} alt={WORDS.picture(place)} />;
    return <img className="attached-image" src={attachment.url} alt={WORDS.attachment(place)} />;
  }
  if (attachment.kind === "other" || attachment.kind === "pdf")
    return (
      <span className="attached-file">
        <Paperclip aria-hidden />
        {attachment.name}
      </span>
    );
  return (
    <details className="attached-text">
      <summary className="attached-file">
        <FileText aria-hidden />
        {attachment.name}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{attachment.text}</pre>
    </details>
  );
}

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
    <span className="branch" role="group" aria-label={WORDS.branchesOfTheConversation}>
      <IconButton
        label={WORDS.previousBranch}
        size="small"
        data-testid="branch-prev"
        disabled={place === 0}
        onClick={() => go(place - 1)}
      >
        <ChevronLeft />
      </IconButton>
      <span className="branch-label" data-testid="branch-label">
        <span className="visually-hidden">{WORDS.branch}</span>
        {place + 1}/{leaves.length}
      </span>
      <IconButton
        label={WORDS.nextBranch}
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
