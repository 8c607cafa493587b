import type { Instant, Json } from "./columns.ts";

/** What names a blob, a manifest or a tag of one image of a deployment. */
type OfImage = { deployment_id: string; image: string };

/** Bytes that are here whole; which images may have them, `registry_links` says. */
type RegistryBlobRow = {
  /** `sha256:…`. */
  digest: string;
  bytes: number;
  /** Whose pieces they are: the id of the upload that brought them. */
  place: string;
  created_at: Instant;
};

/** Bytes that arrive, piece by piece. */
type RegistryUploadRow = OfImage & {
  id: string;
  workspace_id: string;
  /** That were acknowledged. */
  bytes: number;
  pieces: number;
  touched_at: Instant;
};

/** One part of a blob or of an upload. */
export type RegistryPieceRow = {
  place: string;
  /** From 0. */
  number: number;
  /** Under which it lies where blobs are kept. */
  name: string;
  bytes: number;
};

/** That an image has a blob. */
type RegistryLinkRow = OfImage & {
  digest: string;
  workspace_id: string;
  /** When somebody who pushes asked for it last. */
  used_at: Instant;
};

type RegistryManifestRow = OfImage & {
  digest: string;
  workspace_id: string;
  media_type: string;
  artifact_type: string | null;
  /** The digest of what it is about. */
  subject: string | null;
  annotations: Json | null;
  bytes: number;
  body: Uint8Array;
  /** Of it and of all that it names. */
  total_bytes: number;
  created_at: Instant;
};

/** That a manifest names a blob or another manifest. */
type RegistryReferenceRow = OfImage & { manifest: string; digest: string };

type RegistryTagRow = OfImage & { tag: string; digest: string; updated_at: Instant };

/** The name of a piece that nobody needs from some time on; it may lie somewhere, or not. */
type RegistryGarbageRow = {
  name: string;
  due_at: Instant;
  /** From here on it is being removed. */
  swept_at: Instant | null;
};

export type RegistryTables = {
  registry_blobs: RegistryBlobRow;
  registry_uploads: RegistryUploadRow;
  registry_pieces: RegistryPieceRow;
  registry_links: RegistryLinkRow;
  registry_manifests: RegistryManifestRow;
  registry_references: RegistryReferenceRow;
  registry_tags: RegistryTagRow;
  registry_garbage: RegistryGarbageRow;
};
