import type { EngineRun, Issue, IssueTrace, Session, Trace } from "@berth/store";
import { isoTime } from "../../agent/wire-objects.ts";
import { html, type Markup } from "./html.ts";

const SEVERITIES = ["urgent", "high", "medium", "low"];

const severityOf = ({ severity }: Issue) => SEVERITIES[severity] ?? String(severity);

const stateOf = ({ status, resolution }: Issue) =>
  resolution === null ? status : `${status}: ${resolution.replaceAll("_", " ")}`;

const time = (instant: number) =>
  html`<time datetime="${isoTime(instant)}">${isoTime(instant).slice(0, 19).replace("T", " ")}</time>`;

function table(heads: string[], rows: Markup[], none: string): Markup {
  if (rows.length === 0) return html`<p>${none}</p>`;
  const head = heads.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** An issue: what goes wrong, why traces were put together, and which. */
export function issuePage(issue: Issue, session: Session, traces: IssueTrace[]): Markup {
  const reasons = issue.fingerprints.map(
    ({ reason, detector, message }) =>
      html`<tr><td>${detector}</td><td>${reason}</td><td><code>${message}</code></td></tr>`,
  );
  const shown = traces.map(
    ({ trace_id, start_time, comment }) =>
      html`<tr><td>${time(start_time)}</td><td><code>${trace_id}</code></td><td>${comment ?? ""}</td></tr>`,
  );
  return html`<h1>${issue.name}</h1>
<div class="facts"><span>Severity: ${severityOf(issue)}</span><span>${stateOf(issue)}</span>
<span>${issue.trace_count} traces</span><span>First seen ${time(issue.first_seen_at)}</span>
<span>Last seen ${time(issue.last_seen_at)}</span>
<span>Project: <a href="../sessions/${session.id}">${session.name}</a></span></div>
<p>${issue.description}</p>
${issue.cause === null ? null : html`<h2>Likely cause</h2><p>${issue.cause}</p>`}
<h2>Why these belong together</h2>
${table(["Found by", "Reason", "Message"], reasons, "Nothing is recognised by it any more.")}
<h2>Traces</h2>
${table(["Started (UTC)", "Trace", "Note"], shown, "No trace is left.")}`;
}

/** A tracing project: its issues, its last traces and scans. */
export function sessionPage(
  session: Session,
  { issues, traces, scans }: { issues: Issue[]; traces: Trace[]; scans: EngineRun[] },
): Markup {
  const found = issues.map(
    (issue) =>
      html`<tr><td><a href="../issues/${issue.id}">${issue.name}</a></td><td>${severityOf(issue)}</td>
<td>${stateOf(issue)}</td><td>${issue.trace_count}</td><td>${time(issue.last_seen_at)}</td></tr>`,
  );
  const ran = traces.map(
    ({ start_time, name, status, latency_ms, error }) =>
      html`<tr><td>${time(start_time)}</td><td>${name}</td><td>${status}</td>
<td>${latency_ms === null ? "" : `${latency_ms} ms`}</td><td>${error?.message.slice(0, 200) ?? ""}</td></tr>`,
  );
  const looked = scans.map(
    ({ started_at, status, scanned, opened, error_message }) =>
      html`<tr><td>${time(started_at)}</td><td>${status}</td><td>${scanned}</td><td>${opened}</td>
<td>${error_message ?? ""}</td></tr>`,
  );
  return html`<h1>${session.name}</h1>
<h2>Issues</h2>
${table(["Issue", "Severity", "State", "Traces", "Last seen (UTC)"], found, "None so far.")}
<h2>Last traces</h2>
${table(["Started (UTC)", "Name", "Status", "Took", "Error"], ran, "None so far.")}
<h2>Last scans</h2>
${table(["Started (UTC)", "Status", "Traces", "Opened", "Error"], looked, "None so far.")}`;
}
