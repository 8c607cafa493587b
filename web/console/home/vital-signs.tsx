import type { System } from "@berth/server";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import { useIsOperator, useResource } from "../data/index.ts";
import { errorRate } from "../deployment/index.ts";
import { durationText } from "../ui/index.ts";
import { type Running, totalOf } from "./overview.ts";

/** From so many waiting runs on, a queue is worth a look. */
const LONG_QUEUE = 20;

/** Whether all of it is well, in a handful of numbers. */
export function VitalSigns({ running }: { running: readonly Running[] }) {
  const path = useIsOperator() ? "/v1/system" : null;
  const system = useResource<System>(path, { live: ["system", "runs"] }).data;
  const total = totalOf(running);
  return (
    <dl className="vitals" data-testid="vitals">
      <Vital label="Requests, last hour" href="/deployments">
        {total.requests.toLocaleString()}
      </Vital>
      <Vital label="Errors" href="/deployments" isBad={total.errors > 0}>
        {errorRate(total)}
      </Vital>
      <Vital label="p95, slowest minute" href="/deployments">
        {total.p95_ms === null ? "–" : durationText(total.p95_ms)}
      </Vital>
      {system && (
        <>
          <Vital label="Runs waiting" href="/system" isBad={system.queue.pending >= LONG_QUEUE}>
            {system.queue.pending}
          </Vital>
          <Vital label="Runs at work" href="/runs">
            {system.queue.running} <small>of {system.queue.concurrency}</small>
          </Vital>
          <Vital
            label="Deliveries given up"
            href="/webhooks?tab=deliveries&state=dead"
            isBad={system.deliveries.dead > 0}
          >
            {system.deliveries.dead}
          </Vital>
        </>
      )}
    </dl>
  );
}

type VitalProps = { label: string; href: string; isBad?: boolean; children: ReactNode };

function Vital({ label, href, isBad = false, children }: VitalProps) {
  return (
    <div className={classes("vital", isBad && "vital-bad")}>
      <dt>
        <Link href={href}>{label}</Link>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
