import type { Span } from "@berth/server";
import { ChevronDown, ChevronUp, CircleAlert, Search } from "lucide-react";
import type { KeyboardEvent } from "react";
import { Button, IconButton, TextField } from "../../../ui/index.ts";
import { WORDS } from "../words.tsx";
import type { Folds } from "./folds.ts";

type SpanToolsProps = {
  spans: readonly Span[];
  failed: number;
  toError: (step: 1 | -1) => void;
  query: string;
  onQuery: (query: string) => void;
  found: readonly Span[] | undefined;
  selectedId: string;
  toFound: (step: 1 | -1) => void;
  folds: Folds;
};

/** Above the tree: how much there is, what went wrong, and a search. */
export function SpanTools({ spans, failed, toError, folds, ...search }: SpanToolsProps) {
  const parents = folds.rows.filter(({ children, level }) => children > 0 && level > 1);
  const isAllOpen = folds.closed.size === 0;
  const foldAll = () => folds.setClosed(isAllOpen ? new Set(parents.map(({ span }) => span.id)) : new Set());
  return (
    <header className="span-tools">
      <span className="span-count">{WORDS.spans(spans.length)}</span>
      {failed > 0 && (
        <Button
          size="small"
          icon={<CircleAlert />}
          className="span-next-error"
          onClick={() => toError(1)}
          title={WORDS.nextErrorHint}
          data-testid="next-error"
        >
          {failed === 1 ? WORDS.goToError : WORDS.nextOfErrors(failed)}
        </Button>
      )}
      {(parents.length > 0 || !isAllOpen) && (
        <Button size="small" look="quiet" onClick={foldAll} data-testid="fold-all">
          {isAllOpen ? WORDS.foldAll : WORDS.unfoldAll}
        </Button>
      )}
      {spans.length > 1 && <SpanSearch {...search} />}
    </header>
  );
}

type SpanSearchProps = Pick<SpanToolsProps, "query" | "onQuery" | "found" | "selectedId" | "toFound">;

function SpanSearch({ query, onQuery, found, selectedId, toFound }: SpanSearchProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && query !== "") onQuery("");
    else if (event.key === "Enter") toFound(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    <search className="span-search">
      <TextField
        label={WORDS.searchSpans}
        hideLabel
        icon={<Search />}
        type="search"
        placeholder={WORDS.searchSpans}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={press}
        data-testid="span-search"
      />
      {found && (
        <>
          <span role="status" className="span-found" data-testid="spans-found">
            {placeAmong(found, selectedId)}
          </span>
          <IconButton
            label={WORDS.previous}
            size="small"
            disabled={found.length === 0}
            onClick={() => toFound(-1)}
          >
            <ChevronUp />
          </IconButton>
          <IconButton
            label={WORDS.next}
            size="small"
            disabled={found.length === 0}
            onClick={() => toFound(1)}
          >
            <ChevronDown />
          </IconButton>
        </>
      )}
    </search>
  );
}

/** Which of the found spans is looked at, or how many there are. */
function placeAmong(found: readonly Span[], selectedId: string): string {
  if (found.length === 0) return WORDS.none;
  const at = found.findIndex(({ id }) => id === selectedId);
  return at < 0 ? WORDS.found(found.length) : WORDS.placeOf(at + 1, found.length);
}
