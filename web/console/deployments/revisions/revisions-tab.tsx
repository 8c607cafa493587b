import type { Deployment, Revision } from "@berth/server";
import { usePages } from "../../data/index.ts";
import { Loading, Problem, ShowMore } from "../../ui/index.ts";
import { pathOf } from "../deployment.ts";
import { RevisionTable } from "./revision-table.tsx";

/** Everything that a deployment was, is, and is about to be. */
export function RevisionsTab({ deployment }: { deployment: Deployment }) {
  const path = `${pathOf(deployment.id)}/revisions`;
  const pages = usePages<Revision>(path, { live: ["deployments"] });
  const { rows, loading, error, refresh } = pages;
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading) return <Loading />;
  return (
    <>
      <RevisionTable deployment={deployment} revisions={rows} />
      <ShowMore pages={pages} />
    </>
  );
}
