import type { RunFigures } from "@berth/server";
import { useId } from "react";
import { useAddressQuery } from "../data/index.ts";
import { type Column, LineChart, moneyText, Section, Table } from "../ui/index.ts";
import type { FiguresGroup, FigureValues } from "./use-figures.ts";
import { costText, countText, msText, rateText, sizeOf } from "./values.ts";
import { WORDS } from "./words.ts";

type ComparedProps = { figures: RunFigures; nameOf: (group: FiguresGroup) => string };

/** Two revisions side by side. */
export function Compared({ figures, nameOf }: ComparedProps) {
  const query = useAddressQuery();
  const { groups, buckets } = figures;
  if (groups.length < 2) return null;
  const [first, second] = ["a", "b"].map((name) => groups.find(({ key }) => key === query.get(name)));
  return (
    <Section title={WORDS.compare} testId="compared">
      <div className="figure-choices">
        {(["a", "b"] as const).map((name) => (
          <RevisionChoice key={name} name={name} groups={groups} nameOf={nameOf} />
        ))}
      </div>
      {first && second && (
        <>
          <Table
            label={WORDS.compare}
            testId="comparison"
            columns={columnsWith(nameOf(first), nameOf(second))}
            rows={rowsOf(first.total, second.total)}
            rowKey={({ label }) => label}
          />
          {first.buckets && second.buckets && (
            <LineChart
              label={WORDS.p95OfBoth}
              unit=""
              format={msText}
              times={buckets.map(({ start }) => start)}
              series={[first, second].map((group) => ({
                name: `p95 ${nameOf(group)}`,
                values: group.buckets?.map(({ latency_ms }) => latency_ms?.p95 ?? null) ?? [],
              }))}
            />
          )}
        </>
      )}
    </Section>
  );
}

type RevisionChoiceProps = Pick<ComparedProps, "nameOf"> & {
  name: "a" | "b";
  groups: readonly FiguresGroup[];
};

function RevisionChoice({ name, groups, nameOf }: RevisionChoiceProps) {
  const query = useAddressQuery();
  const id = useId();
  return (
    <span className="filter">
      <label htmlFor={id} className="filter-label">
        {name === "a" ? WORDS.compareFirst : WORDS.compareSecond}
      </label>
      <select
        id={id}
        className="filter-select"
        value={query.get(name)}
        onChange={({ target }) => query.set({ [name]: target.value })}
        data-testid={`compare-${name}`}
      >
        <option value="">{WORDS.compareNone}</option>
        {groups
          .filter(({ key }) => key !== "")
          .map((group) => (
            <option key={group.key} value={group.key}>
              {nameOf(group)}
            </option>
          ))}
      </select>
    </span>
  );
}

type ComparedRow = { label: string; first: string; second: string; change: string };

const columnsWith = (first: string, second: string): Column<ComparedRow>[] => [
  { name: WORDS.figure, width: "minmax(9rem, 1.5fr)", cell: ({ label }) => label },
  { name: first, align: "end", cell: ({ first }) => first },
  { name: second, align: "end", cell: ({ second }) => second },
  { name: WORDS.change, align: "end", cell: ({ change }) => change },
];

type Measure = {
  label: string;
  value: (values: FigureValues) => number | null;
  text: (values: FigureValues) => string;
};

const perRun = (values: FigureValues, sum: number) => (sizeOf(values) === 0 ? null : sum / sizeOf(values));

const MEASURES: Measure[] = [
  { label: WORDS.runs, value: sizeOf, text: (values) => countText(sizeOf(values)) },
  { label: WORDS.errorRate, value: (values) => perRun(values, values.errors), text: rateText },
  {
    label: WORDS.medianLatency,
    value: ({ latency_ms }) => latency_ms?.p50 ?? null,
    text: ({ latency_ms }) => msText(latency_ms?.p50),
  },
  {
    label: WORDS.p95Latency,
    value: ({ latency_ms }) => latency_ms?.p95 ?? null,
    text: ({ latency_ms }) => msText(latency_ms?.p95),
  },
  {
    label: WORDS.p99Latency,
    value: ({ latency_ms }) => latency_ms?.p99 ?? null,
    text: ({ latency_ms }) => msText(latency_ms?.p99),
  },
  {
    label: WORDS.firstToken,
    value: ({ first_token_ms }) => first_token_ms?.p50 ?? null,
    text: ({ first_token_ms }) => msText(first_token_ms?.p50),
  },
  {
    label: WORDS.tokensPerRun,
    value: (values) => perRun(values, values.input_tokens + values.output_tokens),
    text: (values) => {
      const tokens = perRun(values, values.input_tokens + values.output_tokens);
      return tokens === null ? "–" : countText(Math.round(tokens));
    },
  },
  {
    label: WORDS.costPerRun,
    value: (values) => perRun(values, values.cost),
    text: (values) => {
      const cost = perRun(values, values.cost);
      return cost === null || values.unpriced_models.length > 0 ? costText(values) : moneyText(cost);
    },
  },
];

const rowsOf = (first: FigureValues, second: FigureValues): ComparedRow[] =>
  MEASURES.map(({ label, value, text }) => ({
    ...{ label, first: text(first), second: text(second) },
    change: changeText(value(first), value(second)),
  }));

/** By how much the second is more or less than the first. */
function changeText(first: number | null, second: number | null): string {
  if (first === null || second === null || first === second) return "–";
  if (first === 0) return "new";
  const percent = Math.round((second / first - 1) * 100);
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}
