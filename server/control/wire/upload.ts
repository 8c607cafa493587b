import { type Static, Type } from "@sinclair/typebox";
import { Instant } from "../../http/index.ts";

export const UploadTarget = Type.Object({
  upload_url: Type.String({
    description: "Send the archive to this address with PUT, without a key. The address works once.",
  }),
  object_path: Type.String({
    description: "Send this as `source_tarball_path` (or `image_uri`) after the upload.",
  }),
  expires_at: Instant,
});
export type UploadTarget = Static<typeof UploadTarget>;

export const PushToken = Type.Object({
  token: Type.String({
    description: "The password for any user name, or a `Bearer` token. It works for an hour.",
  }),
  registry_url: Type.String({ description: "The beginning of the names of the deployment's images." }),
  platform: Type.String({
    description: "The platform that you have to build the image for, such as `linux/amd64`.",
  }),
});
export type PushToken = Static<typeof PushToken>;

export const KeptUpload = Type.Object({
  object_path: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String({ description: "The SHA-256 of the received bytes, in hex." }),
});
export type KeptUpload = Static<typeof KeptUpload>;
