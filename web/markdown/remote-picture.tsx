import { type ReactNode, useState } from "react";
import { WORDS } from "./words.tsx";

/** An address that could do something to the page is left out, and what it was under cannot be clicked. */
export function RefusedLink({ children }: { children?: ReactNode }) {
  return (
    <span className="md-refused" title={WORDS.unsafeLinkLeftOut}>
      {children}
    </span>
  );
}

/** A picture of elsewhere, which is fetched when the reader wants it: that tells its server of them. */
export function RemotePicture({ src, alt }: { src: string; alt: string }) {
  const [isWanted, setWanted] = useState(false);
  if (!/^https:/i.test(src)) return <RefusedLink>{alt || src}</RefusedLink>;
  if (isWanted) return <img src={src} alt={alt} referrerPolicy="no-referrer" />;
  return (
    <button type="button" className="md-picture" data-testid="show-picture" onClick={() => setWanted(true)}>
      {WORDS.showPictureFrom(alt ? `“${alt}”` : WORDS.unnamedPicture, URL.parse(src)?.host)}
    </button>
  );
}
