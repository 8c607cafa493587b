import type { Assistant } from "@berth/server";
import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Badge, Button } from "../../ui/index.ts";
import { graphsOf, isOfGraph, useAssistants } from "../assistant.ts";
import { useAddressQuery, usePages, useProject } from "../data/index.ts";
import { Ago, type Column, Empty, FilterBar, type ListFilter, PagedTable, PageHead } from "../ui/index.ts";
import { AssistantDialog } from "./assistant-dialog.tsx";
import { WORDS } from "./words.ts";
import "./assistants.css";

/** The assistants of a project: graphs, each with settings of its own. */
export function AssistantsScreen() {
  const { base, name } = useProject();
  const query = useAddressQuery();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const graphs = graphsOf(useAssistants(base).data ?? []);
  const filter = { name: query.get("q"), graph_id: query.get("graph") };
  const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
  const pages = usePages<Assistant>(`${base}/assistants/search`, { body: asked, onReturn: true });
  const hrefOf = (id: string) => `/assistants/${id}${query.with({ q: null, graph: null })}`;
  return (
    <>
      <PageHead
        title={WORDS.assistants}
        sub={WORDS.assistantsNote(name)}
        actions={
          <Button
            look="primary"
            icon={<Plus />}
            onClick={() => setCreating(true)}
            data-testid="new-assistant"
          >
            {WORDS.newAssistant}
          </Button>
        }
      />
      <FilterBar filters={filtersOf(graphs)} />
      <PagedTable
        label={WORDS.assistants}
        testId="assistants"
        columns={COLUMNS}
        pages={pages}
        rowKey={({ assistant_id }) => assistant_id}
        hrefOf={({ assistant_id }) => hrefOf(assistant_id)}
        empty={NO_MATCH}
      />
      {isCreating && (
        <AssistantDialog
          base={base}
          graphs={graphs}
          onDone={({ assistant_id }) => navigate(hrefOf(assistant_id))}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

const filtersOf = (graphs: readonly string[]): ListFilter[] => [
  { name: "q", label: WORDS.name, kind: "search" },
  {
    ...{ name: "graph", label: WORDS.graph, kind: "choice" },
    options: graphs.map((graph) => ({ value: graph, label: graph })),
  },
];

const NO_MATCH = <Empty icon={<Bot />} title={WORDS.noAssistantsMatch} text={WORDS.removeAFilter} />;

const COLUMNS: Column<Assistant>[] = [
  {
    name: WORDS.name,
    width: "minmax(10rem, 2fr)",
    cell: (assistant) => (
      <span className="assistant-name">
        <span>{assistant.name}</span>
        {assistant.description && <small>{assistant.description}</small>}
      </span>
    ),
  },
  { name: WORDS.graph, width: "minmax(7rem, 1fr)", cell: ({ graph_id }) => graph_id },
  {
    name: WORDS.createdBy,
    width: "8rem",
    wideOnly: true,
    cell: (assistant) => isOfGraph(assistant) && <Badge>{WORDS.theProject}</Badge>,
  },
  { name: WORDS.version, width: "5rem", align: "end", cell: ({ version }) => version },
  { name: WORDS.changed, width: "6.5rem", cell: ({ updated_at }) => <Ago at={updated_at} /> },
];
