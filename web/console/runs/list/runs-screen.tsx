import type { Session, Trace } from "@berth/server";
import { Activity, ArrowUp, SlidersHorizontal } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearch } from "wouter";
import { Button } from "../../../ui/index.ts";
import { useProject } from "../../data/index.ts";
import {
  Ago,
  type Column,
  Duration,
  Empty,
  FilterBar,
  Loading,
  moneyText,
  PageHead,
  Problem,
  VirtualTable,
} from "../../ui/index.ts";
import { RunStatus } from "../run-status.tsx";
import { type Titles, useRunTitles } from "../threads/index.ts";
import { WORDS } from "../words.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { ExportMenu } from "./export-menu.tsx";
import {
  MORE_RUN_FILTERS,
  runFilters,
  runSearch,
  useForeignSessions,
  useProjectSession,
} from "./run-search.ts";
import { type RunRows, useRuns } from "./use-runs.ts";
import { type Selection, useSelection } from "./use-selection.ts";
import { WaitingRuns } from "./waiting-runs.tsx";
import "./runs.css";

/** The runs of a project, newest first and as they come; each leads to its trace. */
export function RunsScreen() {
  const project = useProject();
  const address = useSearch();
  const { session, error, refresh } = useProjectSession();
  const foreign = useForeignSessions();
  const names = useMemo(() => new URLSearchParams(address), [address]);
  const sessionId = names.get("session_id");
  // The moment that "last hour" counts from stays as it is while the address does: the list would begin anew.
  const search = useMemo(() => runSearch(names, session?.id, Date.now()), [names, session?.id]);
  const isKnown = sessionId !== null || session !== undefined;
  const hasSession = sessionId !== null || session !== null;
  const isReading = useRef(false);
  const [isTop, setTop] = useState(true);
  const runs = useRuns(
    isKnown && hasSession ? search : null,
    useCallback(() => isReading.current, []),
  );
  const onTop = useCallback((isAtTop: boolean) => {
    isReading.current = !isAtTop;
    setTop(isAtTop);
  }, []);
  const { waiting, show } = runs;
  // Who has come back to the top sees what is new there.
  useEffect(() => {
    if (isTop && waiting) show();
  }, [isTop, waiting, show]);
  const threadIds = useMemo(() => runs.rows.map(({ thread_id }) => thread_id), [runs.rows]);
  const titles = useRunTitles(project.base, threadIds);
  const where = foreign.find(({ id }) => id === sessionId)?.name ?? project.name;
  const isFiltered = [...runFilters([]), ...MORE_RUN_FILTERS].some(({ name }) => names.get(name));
  return (
    <>
      <PageHead title={WORDS.runsTitle} sub={sessionId === "all" ? WORDS.allProjects : where} />
      <RunFilters names={names} foreign={foreign} search={search} />
      {project.at === null && sessionId === null && <WaitingRuns />}
      {error && !isKnown && <Problem error={error} retry={refresh} />}
      <div className="runs-list" hidden={error && !isKnown}>
        {waiting && <NewRuns waiting={waiting} show={show} />}
        {!hasSession ? (
          <NoRuns isFiltered={false} />
        ) : (
          <RunTable runs={runs} titles={titles} isFiltered={isFiltered} onTop={onTop} />
        )}
      </div>
    </>
  );
}

type RunFiltersProps = { names: URLSearchParams; foreign: readonly Session[]; search: string };

/** The filters that are needed most, and the others on demand. */
function RunFilters({ names, foreign, search }: RunFiltersProps) {
  const first = runFilters(foreign);
  const [isOpen, setOpen] = useState(() => MORE_RUN_FILTERS.some(({ name }) => names.get(name)));
  return (
    <FilterBar filters={isOpen ? [...first, ...MORE_RUN_FILTERS] : first}>
      <Button
        size="small"
        look="quiet"
        icon={<SlidersHorizontal />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        data-testid="more-filters"
      >
        {isOpen ? WORDS.fewerFilters : WORDS.moreFilters}
      </Button>
      <ExportMenu search={search} />
    </FilterBar>
  );
}

/** Says that there is something new above, to somebody who has scrolled down, and brings it in. */
function NewRuns({ waiting, show }: { waiting: string; show: () => void }) {
  const bringIn = () => {
    show();
    document.querySelector(".runs-list .virtual-table")?.scrollTo({ top: 0 });
  };
  return (
    <div className="runs-waiting" role="status">
      <Button size="small" look="primary" icon={<ArrowUp />} onClick={bringIn} data-testid="new-runs">
        {waiting}
      </Button>
    </div>
  );
}

type RunTableProps = {
  runs: RunRows;
  titles: Titles | undefined;
  isFiltered: boolean;
  onTop: (isAtTop: boolean) => void;
};

function RunTable({ runs, titles, isFiltered, onTop }: RunTableProps) {
  const { rows, loading, error, hasMore, loadMore, refresh } = runs;
  const selection = useSelection(rows);
  const columns = useMemo(() => [choiceColumn(selection), ...runColumns(titles)], [selection, titles]);
  if (error && rows.length === 0) return <Problem error={error} retry={refresh} />;
  if (loading) return <Loading label={WORDS.loadingRuns} />;
  return (
    <>
      {error && <Problem error={error} retry={refresh} />}
      <BulkActions selection={selection} refresh={refresh} />
      <VirtualTable
        onKeyDown={selection.onKeyDown}
        label={WORDS.runsTitle}
        testId="runs"
        columns={columns}
        rows={rows}
        rowKey={idOf}
        hrefOf={hrefOf}
        hasMore={hasMore}
        loadMore={loadMore}
        onTop={onTop}
        empty={<NoRuns isFiltered={isFiltered} />}
      />
    </>
  );
}

const idOf = ({ id }: Trace) => id;
const hrefOf = ({ id }: Trace) => `/traces/${id}`;

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={<Activity />} title={WORDS.noRunsMatch} text={WORDS.noRunsMatchHint} />
  ) : (
    <Empty icon={<Activity />} title={WORDS.noRunsYet} text={WORDS.noRunsHint} />
  );
}

/** Chooses a run; with Shift, all from the last one on. */
function choiceColumn({ has, toggle }: Selection): Column<Trace> {
  return {
    name: WORDS.choose,
    width: "1.5rem",
    hideName: true,
    isControl: true,
    cell: ({ id, name }) => (
      <input
        type="checkbox"
        className="run-choice"
        checked={has(id)}
        readOnly
        aria-label={WORDS.chooseNamed(name || id)}
        title={WORDS.chooseHint}
        data-testid="choose-run"
        onClick={(event) => toggle(id, event.shiftKey)}
      />
    ),
  };
}

const numbers = new Intl.NumberFormat();

/**
 * What a list of runs says about each.
 * @param titles of threads, as far as they are known: they say what a run is about
 */
function runColumns(titles: Titles | undefined): Column<Trace>[] {
  return [
    {
      name: WORDS.run,
      width: "minmax(8rem, 1fr)",
      cell: ({ name, id }) => (
        <span className="table-cut run-name">{name || WORDS.runNamed(id.slice(-12))}</span>
      ),
    },
    { name: WORDS.status, width: "7.5rem", cell: ({ status }) => <RunStatus status={status} /> },
    {
      name: WORDS.thread,
      width: "minmax(8rem, 1.3fr)",
      cell: (run) => threadOf(run, titles),
      wideOnly: true,
    },
    { name: WORDS.whatWentWrong, width: "minmax(8rem, 1.6fr)", cell: errorOf, wideOnly: true },
    { name: WORDS.started, width: "6rem", cell: ({ start_time }) => <Ago at={start_time} /> },
    {
      name: WORDS.duration,
      width: "5rem",
      align: "end",
      cell: ({ latency_ms }) => <Duration ms={latency_ms} />,
    },
    { name: WORDS.tokens, width: "4rem", align: "end", cell: ({ total_tokens }) => tokenText(total_tokens) },
    { name: WORDS.cost, width: "5rem", align: "end", cell: costOf, wideOnly: true },
  ];
}

/** A model without a price says so; where no model was called there is nothing to say. */
function costOf({ cost, total_tokens }: Trace) {
  if (total_tokens === 0) return "–";
  return cost === null ? <span title={WORDS.noPriceKnown}>{WORDS.unknownCost}</span> : moneyText(cost);
}

const tokenText = (tokens: number) => (tokens > 0 ? numbers.format(tokens) : "–");

function errorOf({ error, handled_error }: Trace) {
  if (!error)
    return (
      handled_error && (
        <div className="table-cut run-handled" title={handled_error} data-testid="handled-error">
          {WORDS.handled(handled_error)}
        </div>
      )
    );
  const text = error.message.split("\n")[0] || error.type;
  return (
    <div className="table-cut" title={`${error.type}: ${error.message}`}>
      {text}
    </div>
  );
}

function threadOf({ thread_id }: Trace, titles: Titles | undefined) {
  if (thread_id === null) return null;
  return (
    <div className="table-cut run-thread" title={thread_id}>
      {titles?.get(thread_id) ?? <code>{thread_id.slice(-12)}</code>}
    </div>
  );
}
