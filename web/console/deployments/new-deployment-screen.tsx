import { PageHead } from "../ui/index.ts";

/** New deployment. */
export function NewDeploymentScreen() {
  return <PageHead title="New deployment" />;
}
