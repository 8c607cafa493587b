import { PageHead } from "../ui/index.ts";

/** Keys and workspaces. */
export function KeysScreen() {
  return <PageHead title="Keys and workspaces" />;
}
