import type { RunFigures } from "@berth/server";
import { ChartColumn, Coins, Download, X } from "lucide-react";
import { Link } from "wouter";
import { Button, useToast } from "../../ui/index.ts";
import { reasonOf, saveFile, useAddressQuery } from "../data/index.ts";
import { Empty, FilterBar, Loading, PageHead, Problem, Tabs } from "../ui/index.ts";
import { Charts } from "./charts.tsx";
import { Compared } from "./compared.tsx";
import { GroupTable } from "./group-table.tsx";
import { figuresAsked, NARROWED, useFigures, useGroupNames, useSessions } from "./use-figures.ts";
import { costText, countText, msText, rateText, sizeOf, tokenText } from "./values.ts";
import { GROUPS, PRICE_WORDS, RANGES, WORDS } from "./words.ts";
import "./figures.css";

/** What runs did over time, and what they cost. */
export function FiguresScreen() {
  const query = useAddressQuery();
  const { range, by, search } = figuresAsked(query);
  const sessions = useSessions();
  const { data, error, loading, refresh } = useFigures(search, range);
  const chosen = sessions.filter(
    ({ id }) => query.get("session_id") === "" || query.get("session_id") === id,
  );
  const nameOf = useGroupNames(by, chosen);
  return (
    <>
      <PageHead title={WORDS.title} sub={WORDS.sub} actions={<Actions search={search} />} />
      <FilterBar
        filters={[
          { name: "range", label: WORDS.time, kind: "choice", none: RANGES[2].label, options: timeOptions },
          {
            ...{ name: "session_id", label: WORDS.project, kind: "choice", none: WORDS.allProjects },
            options: sessions.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]}
      >
        <Narrowed />
      </FilterBar>
      {error && <Problem error={error} retry={refresh} />}
      {loading && <Loading />}
      {data && (
        <>
          <Totals figures={data} />
          <Unpriced models={data.total.unpriced_models} />
          {sizeOf(data.total) === 0 ? (
            <Empty icon={<ChartColumn />} title={WORDS.none} text={WORDS.noneText} />
          ) : (
            <>
              <Charts figures={data} />
              <Tabs
                current={by}
                items={GROUPS.map(({ value, label }) => ({
                  ...{ id: value, label },
                  href: `/figures${query.with({ by: value === "session" ? null : value, a: null, b: null })}`,
                }))}
              />
              <GroupTable figures={data} by={by} nameOf={nameOf} />
              {by === "revision" && <Compared figures={data} nameOf={nameOf} />}
            </>
          )}
        </>
      )}
    </>
  );
}

/** Without an entry the range is a day. */
const timeOptions = RANGES.filter(({ value }) => value !== "24h");

function Actions({ search }: { search: string }) {
  const toast = useToast();
  const download = () =>
    saveFile(`/v1/figures/csv?${search}`, "figures.csv").catch((error) =>
      toast({ text: reasonOf(error), look: "negative" }),
    );
  return (
    <>
      <Link href="/figures/prices" className="button button-plain" data-testid="to-prices">
        <Coins />
        {WORDS.prices}
      </Link>
      <Button icon={<Download />} onClick={download} data-testid="csv">
        {WORDS.csv}
      </Button>
    </>
  );
}

const NARROWED_WORDS = {
  session_id: "",
  revision_id: WORDS.revision,
  assistant_id: WORDS.assistant,
  model: PRICE_WORDS.model,
};

/** What a row that was clicked has narrowed the figures to, each to be taken away. */
function Narrowed() {
  const query = useAddressQuery();
  return NARROWED.filter((name) => NARROWED_WORDS[name] !== "" && query.get(name) !== "").map((name) => (
    <Button
      key={name}
      size="small"
      look="quiet"
      icon={<X />}
      onClick={() => query.set({ [name]: null, [`${name}_name`]: null })}
      data-testid={`without-${name}`}
    >
      {NARROWED_WORDS[name]}: {query.get(`${name}_name`) || query.get(name)}
    </Button>
  ));
}

function Totals({ figures: { total } }: { figures: RunFigures }) {
  const { latency_ms, first_token_ms } = total;
  const facts: [string, string, string?][] = [
    [total.runs === null ? WORDS.calls : WORDS.runs, countText(sizeOf(total))],
    [WORDS.errors, countText(total.errors), rateText(total)],
    [WORDS.latency, msText(latency_ms?.p50), latency_ms ? `p95 ${msText(latency_ms.p95)}` : undefined],
    [
      WORDS.firstToken,
      msText(first_token_ms?.p50),
      first_token_ms ? `p95 ${msText(first_token_ms.p95)}` : undefined,
    ],
    [WORDS.tokensIn, tokenText(total.input_tokens)],
    [WORDS.tokensOut, tokenText(total.output_tokens)],
    [WORDS.cost, costText(total)],
  ];
  return (
    <dl className="figure-totals" data-testid="totals">
      {facts.map(([label, value, more]) => (
        <div key={label} className="figure-total">
          <dt>{label}</dt>
          <dd>
            {value} {more !== undefined && <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The cost is not all of it. */
function Unpriced({ models }: { models: readonly string[] }) {
  if (models.length === 0) return null;
  return (
    <p className="figure-note" data-testid="unpriced">
      {WORDS.unpriced(models)}{" "}
      <Link href={`/figures/prices?model=${encodeURIComponent(models[0] ?? "")}`}>{WORDS.setPrice}</Link>
    </p>
  );
}
