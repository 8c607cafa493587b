import { type Static, Type } from "@sinclair/typebox";
import { Instant } from "../../http/index.ts";

export const UploadTarget = Type.Object({
  upload_url: Type.String({ description: "The address to PUT the archive to, without a key; valid once." }),
  object_path: Type.String({
    description: "Send this as `source_tarball_path` (or `image_uri`) after the upload.",
  }),
  expires_at: Instant,
});
export type UploadTarget = Static<typeof UploadTarget>;

export const PushToken = Type.Object({
  token: Type.String({
    description: "The password of any user name, or a `Bearer` token; good for an hour.",
  }),
  registry_url: Type.String({ description: "What the names of the deployment's images begin with." }),
  platform: Type.String({ description: "What the image has to be built for, such as `linux/amd64`." }),
});
export type PushToken = Static<typeof PushToken>;

export const KeptUpload = Type.Object({
  object_path: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String({ description: "Of the received bytes, in hex." }),
});
export type KeptUpload = Static<typeof KeptUpload>;
