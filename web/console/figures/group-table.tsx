import type { RunFigures } from "@berth/server";
import { useAddressQuery } from "../data/index.ts";
import { type Column, Table } from "../ui/index.ts";
import type { FiguresGroup, GroupKind } from "./use-figures.ts";
import { costText, countText, msText, rateText, sizeOf, tokenText } from "./values.ts";
import { WORDS } from "./words.ts";

type NameOf = (group: FiguresGroup) => string;

/** What a row narrows the figures by, and what one looks at next. */
const NARROWS: Record<GroupKind, { name: string; next: GroupKind }> = {
  session: { name: "session_id", next: "revision" },
  revision: { name: "revision_id", next: "assistant" },
  assistant: { name: "assistant_id", next: "model" },
  model: { name: "model", next: "assistant" },
};

const columnsWith = (nameOf: NameOf, isOfModels: boolean): Column<FiguresGroup>[] => [
  {
    name: WORDS.name,
    width: "minmax(9rem, 2fr)",
    cell: (group) => <span className="table-cut">{nameOf(group)}</span>,
  },
  {
    name: isOfModels ? WORDS.calls : WORDS.runs,
    ...{ width: "6.5rem", align: "end" },
    cell: ({ total }) => countText(sizeOf(total)),
  },
  { name: WORDS.errors, width: "5rem", align: "end", cell: ({ total }) => rateText(total) },
  { name: WORDS.median, width: "5.5rem", align: "end", cell: ({ total }) => msText(total.latency_ms?.p50) },
  { name: "p95", width: "5.5rem", align: "end", cell: ({ total }) => msText(total.latency_ms?.p95) },
  {
    name: WORDS.firstToken,
    width: "6rem",
    align: "end",
    cell: ({ total }) => msText(total.first_token_ms?.p50),
  },
  { name: WORDS.tokensIn, width: "5.5rem", align: "end", cell: ({ total }) => tokenText(total.input_tokens) },
  { name: WORDS.tokensOut, width: "6rem", align: "end", cell: ({ total }) => tokenText(total.output_tokens) },
  { name: WORDS.cost, width: "6.5rem", align: "end", cell: ({ total }) => costText(total) },
];

type GroupTableProps = { figures: RunFigures; by: GroupKind; nameOf: NameOf };

/** The figures told apart; a row leads to those of its own. */
export function GroupTable({ figures: { groups, has_more_groups }, by, nameOf }: GroupTableProps) {
  const query = useAddressQuery();
  const { name, next } = NARROWS[by];
  // What has no key cannot be asked for by it.
  const hrefOf = (group: FiguresGroup) =>
    group.key === "" && by !== "model"
      ? `/figures${query.with({})}`
      : `/figures${query.with({ [name]: group.key, [`${name}_name`]: by === "session" ? null : nameOf(group), by: next === "session" ? null : next })}`;
  return (
    <>
      <Table
        label={WORDS.title}
        testId="groups"
        columns={columnsWith(nameOf, by === "model")}
        rows={groups}
        rowKey={({ key }) => key || "none"}
        hrefOf={hrefOf}
      />
      {has_more_groups && <p className="figure-note">{WORDS.moreGroups}</p>}
    </>
  );
}
