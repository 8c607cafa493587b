import type { Doctor } from "@berth/server";
import { RefreshCw } from "lucide-react";
import { Button } from "../../ui/index.ts";
import { useResource } from "../data/index.ts";
import { Ago, durationText, Loading, Problem, Section, StatusBadge } from "../ui/index.ts";

const ORDER: readonly Doctor["status"][] = ["failure", "warning", "ok"];

/** What `berth doctor` finds, what is wrong first. */
export function DoctorReport() {
  const { data, error, loading, refreshing, refresh } = useDoctor();
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading || !data) return <Loading label="Trying things out" />;
  const findings = [...data.findings].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return (
    <Section
      title={TITLES[data.status]}
      testId="doctor"
      note={
        <>
          Looked <Ago at={data.checked_at} />, in {durationText(data.took_ms)}. On a terminal:{" "}
          <code>berth doctor</code>
        </>
      }
      actions={
        <Button
          size="small"
          icon={<RefreshCw />}
          disabled={refreshing}
          onClick={refresh}
          data-testid="look-again"
        >
          {refreshing ? "Looking…" : "Look again"}
        </Button>
      }
    >
      <ul className="findings">
        {findings.map(({ check, title, status, message, advice }) => (
          <li key={check} data-testid="finding">
            <StatusBadge status={status} />
            <strong>{title}</strong>
            <span className="finding-message">{message}</span>
            {advice && <span className="finding-advice">{advice}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const TITLES: Record<Doctor["status"], string> = {
  ok: "All is well",
  warning: "Worth a look",
  failure: "Something is wrong",
};

/** It tries things, so it is asked for when somebody looks, and not each time that something changes. */
function useDoctor() {
  return useResource<Doctor>("/v1/system/doctor", { once: true });
}
