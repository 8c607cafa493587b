import type { Deployment, DeploymentsPage, SessionsPage } from "@berth/server";
import { useResource } from "../../data/index.ts";
import { useAddressQuery } from "./address-query.ts";

export type Project = {
  /** The deployment; null for the project that Berth itself serves. */
  at: string | null;
  /** In front of the Agent Server's paths: empty, or `/d/<id>`. */
  base: string;
  name: string;
};

export type ProjectChoice = Pick<Deployment, "id" | "name">;

/** What the served project is called where its name is not known, as in another workspace than its own. */
const NAMELESS = "This Berth’s project";

/** The project that the screen looks at: `?at=<deployment_id>`, else the one that Berth itself serves. */
export function useProject(): Project {
  const at = useAddressQuery().get("at") || null;
  const choices = useProjectChoices();
  const own = useOwnProject();
  if (at === null) return { at, base: "", name: own };
  const name = choices.find(({ id }) => id === at)?.name ?? at;
  return { at, base: `/d/${encodeURIComponent(at)}`, name };
}

/** What the project is called that Berth itself serves. */
export function useOwnProject(): string {
  const { data } = useResource<SessionsPage>("/v1/sessions?served=true");
  return data?.resources[0]?.name ?? NAMELESS;
}

/** The deployments that may be looked at. */
export function useProjectChoices(): readonly ProjectChoice[] {
  const { data } = useResource<DeploymentsPage>("/v2/deployments?limit=100", {
    live: ["deployments"],
  });
  return data?.resources ?? [];
}
