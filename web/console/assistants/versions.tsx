import type { Assistant } from "@berth/server";
import { Undo2 } from "lucide-react";
import { ChangeList, changedKeys, stateDiff } from "../../changes/index.ts";
import { Badge, Button, SelectField } from "../../ui/index.ts";
import { api, useAction, useAddressQuery, usePages } from "../data/index.ts";
import { Ago, type Column, PagedTable, Section } from "../ui/index.ts";
import { WORDS } from "./words.ts";

type VersionsProps = { assistant: Assistant; base: string };

/** All versions of an assistant: what each changed, two of them compared, and the way back to one. */
export function Versions({ assistant, base }: VersionsProps) {
  const path = `${base}/assistants/${assistant.assistant_id}`;
  const pages = usePages<Assistant>(`${path}/versions`, { body: {}, onReturn: true });
  const { run, busy } = useAction();
  const makeLatest = (version: number) =>
    run(() => api(`${path}/latest`, { method: "POST", body: { version } }), WORDS.madeLatest(version));
  const { rows } = pages;
  const former = rows.find(({ version }) => version < assistant.version);
  return (
    <>
      <Section
        title={WORDS.versions}
        testId="versions-section"
        note={WORDS.runsUseTheLatest}
        actions={
          former && (
            <Button
              size="small"
              icon={<Undo2 />}
              disabled={busy}
              onClick={() => makeLatest(former.version)}
              data-testid="roll-back"
            >
              {WORDS.rollBackToVersion(former.version)}
            </Button>
          )
        }
      >
        <PagedTable
          label={WORDS.versions}
          testId="versions"
          columns={columnsOf(assistant, rows, busy, makeLatest)}
          pages={pages}
          rowKey={({ version }) => String(version)}
        />
      </Section>
      {rows.length > 1 && <Comparison rows={rows} latest={assistant.version} />}
    </>
  );
}

function columnsOf(
  { version: latest }: Assistant,
  rows: readonly Assistant[],
  busy: boolean,
  makeLatest: (version: number) => void,
): Column<Assistant>[] {
  return [
    {
      name: WORDS.version,
      width: "8rem",
      cell: ({ version }) => (
        <span className="assistant-version">
          {version}
          {version === latest && <Badge look="positive">{WORDS.latest}</Badge>}
        </span>
      ),
    },
    { name: WORDS.name, width: "minmax(8rem, 1fr)", cell: ({ name }) => name },
    {
      name: WORDS.changed,
      width: "minmax(8rem, 1.5fr)",
      cell: (row) => changesOf(row, rows) || <span className="assistant-none">{WORDS.nothing}</span>,
    },
    { name: WORDS.createdColumn, width: "6.5rem", cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      name: WORDS.actions,
      hideName: true,
      align: "end",
      width: "8rem",
      cell: ({ version }) =>
        version !== latest && (
          <Button
            size="small"
            disabled={busy}
            onClick={() => makeLatest(version)}
            aria-label={WORDS.makeLatestVersion(version)}
            data-testid="make-latest"
          >
            {WORDS.makeLatest}
          </Button>
        ),
    },
  ];
}

/** What a version changed of the one before it, in the names of its parts. */
function changesOf(row: Assistant, rows: readonly Assistant[]): string {
  if (row.version === 1) return WORDS.theFirstOne;
  const before = rows.find(({ version }) => version === row.version - 1);
  return before ? changedKeys(settingsOf(before), settingsOf(row)).join(", ") : "";
}

/** What a version says, without when and which it is. */
const settingsOf = ({ graph_id, name, description, context, config, metadata }: Assistant) => ({
  ...{ name, description, graph_id, context, config, metadata },
});

type ComparisonProps = { rows: readonly Assistant[]; latest: number };

/** Two versions side by side: by default the latest and what was before it. */
function Comparison({ rows, latest }: ComparisonProps) {
  const query = useAddressQuery();
  const [newest] = rows;
  const other = rows.find(({ version }) => version < latest) ?? newest;
  const find = (name: string, otherwise: Assistant | undefined) =>
    rows.find(({ version }) => String(version) === query.get(name)) ?? otherwise;
  const from = find("a", other);
  const to = find("b", rows.find(({ version }) => version === latest) ?? newest);
  if (!from || !to) return null;
  const options = rows.map(({ version }) => ({ value: version, label: WORDS.versionNumber(version) }));
  return (
    <Section title={WORDS.compare} testId="comparison">
      <div className="assistant-compare">
        <SelectField
          label={WORDS.from}
          value={from.version}
          options={options}
          data-testid="compare-from"
          onChange={(a) => query.set({ a })}
        />
        <SelectField
          label={WORDS.to}
          value={to.version}
          options={options}
          data-testid="compare-to"
          onChange={(b) => query.set({ b })}
        />
      </div>
      <ChangeList changes={stateDiff(settingsOf(from), settingsOf(to))} none={WORDS.sameVersions} />
    </Section>
  );
}
