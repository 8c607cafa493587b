import { Button } from "../../ui/index.ts";
import "./show-more.css";

/** At the end of a list of which there is more. */
export function ShowMore({ pages }: { pages: { hasMore: boolean; loadMore(): void } }) {
  if (!pages.hasMore) return null;
  return (
    <p className="show-more">
      <Button onClick={pages.loadMore} data-testid="show-more">
        Show more
      </Button>
    </p>
  );
}
