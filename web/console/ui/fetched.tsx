import type { ReactNode } from "react";
import { type LiveKind, type Pages, useElsewhere, useResource } from "../data/index.ts";
import { PageHead, ShowMore } from "./layout.tsx";
import { Loading, Problem } from "./placeholders.tsx";
import { Table, type TableProps } from "./table.tsx";

type PagedTableProps<Row> = Omit<TableProps<Row>, "rows"> & { pages: Pages<Row> };

/** A list of the API as a table: while it comes, when it cannot be had, and with what is behind its end. */
export function PagedTable<Row>({ pages, ...table }: PagedTableProps<Row>) {
  const { rows, loading, error, refresh } = pages;
  return (
    <>
      {error && <Problem error={error} retry={refresh} />}
      {loading && !error && <Loading />}
      {!loading && (!error || rows.length > 0) && <Table {...table} rows={rows} />}
      <ShowMore pages={pages} />
    </>
  );
}

type ThingScreenProps<Thing> = {
  path: string;
  live?: readonly LiveKind[];
  /** The head of the screen while the thing is not there, and the way back. */
  title: string;
  back: { href: string; label: string };
  children: (thing: Thing) => ReactNode;
};

/** The screen of one thing, which may be in another workspace of the key. */
export function ThingScreen<Thing>({ path, live = [], title, back, children }: ThingScreenProps<Thing>) {
  const { data, error, refresh } = useResource<Thing>(path, { live });
  const isSought = useElsewhere(path, error);
  if (data) return children(data);
  if (!error || isSought) return <Loading />;
  return (
    <>
      <PageHead title={title} back={back} />
      <Problem error={error} retry={refresh} />
    </>
  );
}
