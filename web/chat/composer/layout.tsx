import type { ReactNode, RefObject } from "react";
import { useDraft } from "./draft.tsx";
import "./layout.css";

type ConversationLayoutProps = {
  /** The scrolling column. */
  children: ReactNode;
  /** What lies over its end. */
  above?: ReactNode;
  foot: ReactNode;
  frame?: RefObject<HTMLDivElement | null>;
  content?: RefObject<HTMLDivElement | null>;
};

/** The scrolling column of a conversation, and the foot that stays. Files may be let go anywhere on it. */
export function ConversationLayout({ children, above, foot, frame, content }: ConversationLayoutProps) {
  const { dragging, drop } = useDraft();
  return (
    <div className={dragging ? "conversation conversation-drop" : "conversation"} {...drop}>
      <div ref={frame} className="conversation-scroll">
        <div ref={content} className="conversation-column">
          {children}
        </div>
      </div>
      {above}
      <div className="conversation-foot-frame">
        <div className="conversation-foot">{foot}</div>
      </div>
    </div>
  );
}
