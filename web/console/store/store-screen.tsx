import { PageHead } from "../ui/index.ts";

/** Store. */
export function StoreScreen() {
  return <PageHead title="Store" />;
}
