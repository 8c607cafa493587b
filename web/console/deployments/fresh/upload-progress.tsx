import { Spinner } from "../../../ui/index.ts";
import type { Progress } from "./upload.ts";

/** How far an upload is. */
export function UploadProgress({ progress: { stage, share } }: { progress: Progress }) {
  if (stage === "packing")
    return (
      <p className="form-note" role="status">
        <Spinner /> Packing…
      </p>
    );
  const percent = Math.round(share * 100);
  return (
    <p className="form-note">
      <label>
        Sending, {percent} %
        <progress className="upload-progress" max={100} value={percent} />
      </label>
    </p>
  );
}
