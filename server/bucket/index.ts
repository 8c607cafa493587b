export { Bucket, BucketError, isBucketAddress, placeOf } from "./bucket.ts";
