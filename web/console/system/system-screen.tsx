import { PageHead } from "../ui/index.ts";

/** System. */
export function SystemScreen() {
  return <PageHead title="System" />;
}
