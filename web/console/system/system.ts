/** What `/v1/system` and what is below it answer. */

export type Lease = {
  kind: string;
  holder: string;
  count: number;
  until: string | null;
  mine: boolean | null;
};

export type System = {
  version: string;
  bun: string;
  platform: string;
  pid: number;
  host: string;
  started_at: string;
  uptime_s: number;
  data: {
    dir: string;
    database_file: string;
    database_bytes: number;
    wal_bytes: number;
    disk_free_bytes: number;
    disk_total_bytes: number;
  };
  migrations: { applied: number; latest: string | null };
  queue: { pending: number; running: number; concurrency: number };
  leases: Lease[];
  deliveries: { queued: number; due: number; leased: number; dead: number };
  subscriptions: { active: number; failing: number };
  deployments: { total: number; by_status: Record<string, number>; instances: number };
  memory: { rss_bytes: number; heap_bytes: number; deployments_bytes: number | null };
  engine: { interval_s: number; running: number; unscanned_traces: number; last_scan: LastScan | null };
};

type LastScan = {
  id: string;
  session_id: string;
  status: string;
  started_at: string;
  ended_at: string | null;
  scanned: number;
  findings: number;
  error_message: string | null;
};

export type CheckStatus = "ok" | "warning" | "failure";

export type Finding = {
  check: string;
  title: string;
  status: CheckStatus;
  message: string;
  advice: string | null;
};

export type Doctor = { status: CheckStatus; checked_at: string; took_ms: number; findings: Finding[] };

export type Portion = { count: number; bytes: number | null };

export type KeptKind = {
  kind: string;
  title: string;
  keeps: string;
  setting: string | null;
  rows: number;
  now: Portion;
  next_day: Portion;
};

export type Retention = { checked_at: string; kinds: KeptKind[] };

export type Swept = {
  swept_at: string;
  took_ms: number;
  kinds: { kind: string; title: string; removed: number }[];
};
