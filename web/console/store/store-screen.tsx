import type { FoundItem, Namespaces } from "@berth/server";
import { Database, Folder, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Button, classes } from "../../ui/index.ts";
import { useAddressQuery, usePages, useProject, useResource } from "../data/index.ts";
import { Ago, type Column, Empty, FilterBar, Loading, PagedTable, PageHead, Problem } from "../ui/index.ts";
import { type Branch, branchesOf, holdsText, nameOf, namespaceOf, previewOf } from "./item.ts";
import { ItemDialog, NewItemDialog } from "./item-dialog.tsx";
import { WORDS } from "./words.tsx";
import "./store.css";

/** What is looked through for a text where the project compares nothing by meaning. */
const SEARCHED = 1_000;
const PAGE = 50;

/** What the project's agents remember across threads. */
export function StoreScreen() {
  const { base, name, at } = useProject();
  const query = useAddressQuery();
  const namespace = query.get("ns");
  const [isCreating, setCreating] = useState(false);
  const tree = useResource<Namespaces>(`${base}/store/namespaces`, { body: { limit: 1_000 } });
  const found = useItems(base, namespace, query.get("q"));
  const branches = branchesOf(tree.data?.namespaces ?? []);
  const isEmpty = branches.length === 0 && namespace === "";
  const create = (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)} data-testid="new-item">
      {WORDS.newItem}
    </Button>
  );
  return (
    <>
      <PageHead
        title={WORDS.store}
        sub={WORDS.storeNote(at === null ? WORDS.thisBerthsOwnProject : name)}
        actions={create}
      />
      {tree.error ? (
        <Problem error={tree.error} retry={tree.refresh} />
      ) : tree.loading ? (
        <Loading />
      ) : isEmpty ? (
        <NothingYet action={create} />
      ) : (
        <div className="store">
          <NamespaceTree branches={branches} current={namespace} />
          <div className="store-items">
            <FilterBar
              filters={[
                { name: "q", label: WORDS.search, kind: "search", placeholder: WORDS.searchTheItems },
              ]}
            >
              <span className="store-note">{found.note}</span>
            </FilterBar>
            <Items found={found} />
          </div>
        </div>
      )}
      <OpenItem base={base} />
      {isCreating && <NewItemDialog base={base} namespace={namespace} onClose={() => setCreating(false)} />}
    </>
  );
}

/** The item that the address names. */
function OpenItem({ base }: { base: string }) {
  const query = useAddressQuery();
  const key = query.get("item");
  if (key === "") return null;
  const close = () => query.set({ item: null, of: null });
  return <ItemDialog base={base} namespace={namespaceOf(query.get("of"))} itemKey={key} onClose={close} />;
}

function NothingYet({ action }: { action: ReactNode }) {
  return (
    <Empty
      icon={<Database />}
      title={WORDS.nothingIsRememberedYet}
      text={WORDS.nothingHint}
      action={action}
    />
  );
}

type Found = ReturnType<typeof useItems>;

/** The items below a namespace: by meaning where the project compares so, otherwise those that hold the text. */
function useItems(base: string, namespace: string, text: string) {
  const body = {
    namespace_prefix: namespaceOf(namespace),
    // Looking at things must not make them stay.
    refresh_ttl: false,
    ...(text !== "" && { query: text }),
  };
  const pageSize = text === "" ? PAGE : SEARCHED;
  const pages = usePages<FoundItem>(`${base}/store/items/search`, { body, pageSize });
  const byMeaning = text !== "" && pages.rows.some(({ score }) => typeof score === "number");
  const rows = text === "" || byMeaning ? pages.rows : pages.rows.filter((item) => holdsText(item, text));
  return { ...pages, rows, byMeaning, isSearch: text !== "", note: noteOf(text, byMeaning, pages.hasMore) };
}

function noteOf(text: string, byMeaning: boolean, hasMore: boolean): string {
  if (text === "") return "";
  if (byMeaning) return WORDS.byMeaning;
  return hasMore ? WORDS.withTextAmongNewest(SEARCHED) : WORDS.withText;
}

function Items({ found }: { found: Found }) {
  const query = useAddressQuery();
  return (
    <PagedTable
      label={WORDS.items}
      testId="items"
      columns={found.byMeaning ? [...columns, SCORE] : columns}
      pages={found}
      rowKey={({ namespace, key }) => `${nameOf(namespace)}/${key}`}
      onOpen={({ namespace, key }) => query.set({ item: key, of: nameOf(namespace) })}
      empty={
        <Empty
          icon={<Database />}
          title={found.isSearch ? WORDS.noItemsMatch : WORDS.noItemsHere}
          text={found.isSearch ? WORDS.noMatchHint : undefined}
        />
      }
    />
  );
}

const columns: Column<FoundItem>[] = [
  {
    name: WORDS.key,
    width: "minmax(8rem, 1fr)",
    cell: ({ namespace, key }) => (
      <span className="item-key" data-testid="item-key">
        {key}
        <span className="store-note">{nameOf(namespace)}</span>
      </span>
    ),
  },
  {
    name: WORDS.value,
    width: "minmax(10rem, 2fr)",
    cell: ({ value }) => <span className="item-preview">{previewOf(value)}</span>,
  },
  { name: WORDS.changed, width: "6.5rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
];

const SCORE: Column<FoundItem> = {
  name: WORDS.similarity,
  width: "5rem",
  align: "end",
  cell: ({ score }) => (typeof score === "number" ? score.toFixed(2) : "–"),
};

/** The namespaces that hold items, as a tree. */
function NamespaceTree({ branches, current }: { branches: readonly Branch[]; current: string }) {
  const query = useAddressQuery();
  const all: Branch = { label: WORDS.allNamespaces, name: "", depth: 0 };
  return (
    <nav className="namespaces" aria-label={WORDS.namespaces} data-testid="namespaces">
      <ul>
        {[all, ...branches].map(({ label, name, depth }) => (
          <li key={name}>
            <Link
              href={`/store${query.with({ ns: name, item: null, of: null })}`}
              className={classes("namespace", name === current && "namespace-current")}
              style={{ paddingInlineStart: `${0.5 + depth * 0.875}rem` }}
              aria-current={name === current ? "page" : undefined}
              title={name || undefined}
              data-testid="namespace"
            >
              <Folder aria-hidden="true" />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
