import { Button } from "../../../ui/index.ts";
import { usePages } from "../../data/index.ts";
import { Loading, Problem } from "../../ui/index.ts";
import { type Deployment, pathOf, type Revision } from "../deployment.ts";
import { RevisionTable } from "./revision-table.tsx";

/** Everything that a deployment was, is, and is about to be. */
export function RevisionsTab({ deployment }: { deployment: Deployment }) {
  const path = `${pathOf(deployment.id)}/revisions`;
  const { rows, hasMore, loadMore, loading, error, refresh } = usePages<Revision>(path, {
    live: ["deployments"],
  });
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading) return <Loading />;
  return (
    <>
      <RevisionTable deployment={deployment} revisions={rows} />
      {hasMore && (
        <p className="more">
          <Button onClick={loadMore}>Show more</Button>
        </p>
      )}
    </>
  );
}
