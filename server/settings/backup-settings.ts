/** A place in S3-like storage: the bucket, and the key behind it. */
export const BUCKET_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(\S*))?$/;

/** How S3-like storage is reached. */
export type BucketAccess = Readonly<{
  /** Null for Amazon's own, by the region. */
  endpoint: string | null;
  region: string;
  keyId: string | null;
  secret: string | null;
}>;

/** Backups that are made by themselves. */
export type BackupSettings = Readonly<{
  /** Five fields, in UTC; null: none are made. */
  schedule: string | null;
  /** An absolute folder, or `s3://BUCKET/PREFIX` without a slash at its end. */
  place: string;
  /** So many are kept. */
  keep: number;
  bucket: BucketAccess;
}>;
