import { Plus } from "lucide-react";
import { Link } from "wouter";
import { Loading, PageHead, Problem } from "../ui/index.ts";
import { Broken } from "./broken.tsx";
import { LatestChanges } from "./changes.tsx";
import "./home.css";
import { useRunning } from "./overview.ts";
import { RunsHere } from "./runs-here.tsx";
import { VitalSigns } from "./vital-signs.tsx";

/** What runs, is it well, what broke, what changed, how to go back. */
export function HomeScreen() {
  const { running, total, loading, error, refresh } = useRunning();
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <Link href="/deployments/new" className="button button-primary">
            <Plus />
            New deployment
          </Link>
        }
      />
      {error ? (
        <Problem error={error} retry={refresh} />
      ) : loading ? (
        <Loading />
      ) : (
        <>
          <VitalSigns running={running} />
          <RunsHere running={running} total={total} />
          <div className="home-columns">
            <Broken running={running} />
            <LatestChanges running={running} />
          </div>
        </>
      )}
    </>
  );
}
