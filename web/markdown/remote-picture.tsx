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
  const url = URL.parse(src, location.href);
  // That of a deployment has the origin of this page, which may have no TLS.
  if (url?.protocol !== "https:" && url?.origin !== location.origin)
    return <RefusedLink>{alt || src}</RefusedLink>;
  if (isWanted) return <img src={url.href} alt={alt} referrerPolicy="no-referrer" />;
  return (
    <button type="button" className="md-picture" data-testid="show-picture" onClick={() => setWanted(true)}>
      {WORDS.showPictureFrom(alt ? `“${alt}”` : WORDS.unnamedPicture, url.host)}
    </button>
  );
}
