import { PageHead } from "../ui/index.ts";

/** Crons. */
export function CronsScreen() {
  return <PageHead title="Crons" />;
}
