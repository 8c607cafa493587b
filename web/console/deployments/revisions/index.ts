export { InterruptButton } from "./revision-actions.tsx";
export { logsHref, RevisionsTab, RevisionTable, Took } from "./revision-table.tsx";
