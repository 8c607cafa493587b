import { createHash } from "node:crypto";

/** The reference server's namespace. It ends in `b821`, so it is none of the four that RFC 4122 names. */
const NAMESPACE = Buffer.from("6ba7b8219dad11d180b400c04fd430c8", "hex");

/** The id of a graph's system assistant: UUID v5 of its name, the same on every server. */
export function assistantId(graphId: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(graphId).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
