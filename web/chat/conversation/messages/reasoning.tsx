import { Brain, ChevronRight } from "lucide-react";
import { useState } from "react";
import { Markdown } from "../../../markdown/markdown.tsx";

/** What the model thought: open while it thinks, folded afterwards, unless the reader decides otherwise. */
export function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? thinking;
  return (
    <section className="reasoning">
      <button type="button" className="reasoning-head" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Brain aria-hidden />
        {thinking ? "Thinking…" : "Thought about it"}
        <ChevronRight aria-hidden className={open ? "reasoning-open" : ""} />
      </button>
      {open && (
        <div className="reasoning-text">
          <Markdown text={text} streaming={thinking} />
        </div>
      )}
    </section>
  );
}
