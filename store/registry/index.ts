export { type ArrivingBlob, ArrivingBlobs } from "./arrivals.ts";
export type { StoredBlob, StoredPiece } from "./blobs.ts";
export {
  IMAGE_ROOT,
  isDigest,
  isImageName,
  isOfRegistry,
  isTag,
  type PushedImage,
  type Repository,
  readPushedImage,
} from "./image-names.ts";
export { digestOfPushed, type NewManifest, PushedImages } from "./manifests.ts";
export { RegistrySweep } from "./registry-sweep.ts";
