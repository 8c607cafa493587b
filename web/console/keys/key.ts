/** An API key as `/v1/keys` tells of it. */
export type Key = {
  id: string;
  workspace_id: string;
  name: string;
  /** The first characters of the secret. */
  hint: string;
  scope: "workspace" | "organization" | "metrics";
  created_at: string;
  last_used_at: string | null;
  /** Whose key made it. */
  created_by: { key_id: string | null; name: string } | null;
};

/** A key that was just made, with what is never told again. */
export type NewKey = Key & { secret: string };
