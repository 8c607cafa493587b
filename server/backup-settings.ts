/** Backups that are made by themselves. */
export type BackupSettings = Readonly<{
  /** Five fields, in UTC; null: none are made. */
  schedule: string | null;
  /** Absolute. */
  folder: string;
  /** So many are kept. */
  keep: number;
}>;
