import { BadRequest, Denied, NotFound, TooLarge } from "../errors.ts";

/** Words of the distribution specification for what can go wrong. */
export const unknownBlob = (digest: string) =>
  new NotFound(`There is no blob ${digest} here`, { code: "BLOB_UNKNOWN" });
export const unknownManifest = (reference: string) =>
  new NotFound(`There is no manifest ${reference} here`, { code: "MANIFEST_UNKNOWN" });
export const unknownUpload = () =>
  new NotFound("There is no such upload, or it has ended", { code: "BLOB_UPLOAD_UNKNOWN" });
export const unknownImage = (image: string) =>
  new NotFound(`Nobody has pushed an image ${image}`, { code: "NAME_UNKNOWN" });
export const missingPart = (digest: string) =>
  new BadRequest(`The manifest names ${digest}, which is not in the registry: push it first`, {
    code: "MANIFEST_BLOB_UNKNOWN",
  });
export const noRoom = (mostBytes: number) =>
  new TooLarge(
    `The images of this workspace would have more than ${mostBytes} bytes: delete some, or raise REGISTRY_LIMIT`,
    { code: "DENIED" },
  );
export const inUse = (what: string, why: string) => new Denied(`${what} stays: ${why}`, { code: "DENIED" });
