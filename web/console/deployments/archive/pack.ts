import type { DroppedProject } from "./project-files.ts";
import { tarOf } from "./ustar.ts";

/** A project as the server takes it: a gzipped tar of a folder, or the archive that was dropped. */
export function packed(project: DroppedProject): Promise<Blob> {
  if (project.kind === "archive") return Promise.resolve(project.file);
  const pieces = tarOf(project.files);
  const tar = new ReadableStream<BufferSource>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
  });
  return new Response(tar.pipeThrough(new CompressionStream("gzip"))).blob();
}
