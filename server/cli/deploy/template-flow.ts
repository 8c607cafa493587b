import { type Begun, createDeployment, type DeployOrder, requireSource } from "./source-flow.ts";

/** Deploys a template that is built into Berth: nothing is uploaded, nothing is built. */
export async function deployTemplate(order: DeployOrder & { template: string }): Promise<Begun> {
  const { deployments, output, existing, secrets, template } = order;
  if (existing) {
    requireSource(existing, "internal_template", "a template");
    output.step(`Updating deployment ${existing.id}`);
    const body = { source_config: { template }, ...(secrets === undefined ? {} : { secrets }) };
    const { id } = await deployments.revise(existing.id, body);
    return { deploymentId: existing.id, revisionId: id };
  }
  const deploymentId = await createDeployment(order, {
    source: "internal_template",
    source_config: { template },
    source_revision_config: {},
  });
  return { deploymentId, revisionId: (await deployments.latestRevision(deploymentId)).id };
}
