import { type Static, Type } from "@sinclair/typebox";
import { Instant } from "../../http/fields.ts";

export const UploadTarget = Type.Object({
  upload_url: Type.String({ description: "Where to PUT the archive, without a key; good once." }),
  object_path: Type.String({ description: "What to send as `source_tarball_path` (or `image_uri`) then." }),
  expires_at: Instant,
});
export type UploadTarget = Static<typeof UploadTarget>;

export const KeptUpload = Type.Object({
  object_path: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String({ description: "Of what was received, hex." }),
});
export type KeptUpload = Static<typeof KeptUpload>;
