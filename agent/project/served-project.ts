import type { ProjectAuth } from "../auth.ts";
import type { HttpConfig } from "./http-config.ts";
import type { Project } from "./project.ts";

/** What its configuration says of the apps of a project; the apps themselves are code. */
export type HttpFacts = Omit<HttpConfig, "app" | "mounted"> & { hasApp: boolean; prefixes: string[] };

/** What is known of a project without its code: plain data. */
export type ProjectFacts = Pick<
  Project,
  "name" | "dir" | "graphs" | "config" | "warnings" | "webhooks" | "ui" | "python"
> & {
  langgraph: { version: string };
  http?: HttpFacts | undefined;
  auth?: Pick<ProjectAuth, "studioDisabled" | "declared"> | undefined;
};

/** A project as it is served: what is known of it, and what its own code answers, wherever that runs. */
export type ServedProject = Omit<ProjectFacts, "http" | "auth"> &
  Pick<Project, "schemas" | "drawing" | "subgraphs" | "shape" | "readTypes" | "answers"> & {
    http?: HttpConfig | undefined;
    auth?: ProjectAuth | undefined;
  };

/** @param project one that is loaded here */
export function factsOf(project: Project): ProjectFacts {
  const { name, dir, graphs, config, warnings, webhooks, ui, langgraph, python, http, auth } = project;
  return {
    ...{ name, dir, graphs, config, warnings, webhooks, ui, python },
    langgraph: { version: langgraph.version },
    http: http && httpFacts(http),
    auth: auth && { studioDisabled: auth.studioDisabled, declared: auth.declared },
  };
}

function httpFacts({ app, mounted = [], ...http }: HttpConfig): HttpFacts {
  return { ...http, hasApp: app !== undefined, prefixes: mounted.map(({ prefix }) => prefix) };
}
