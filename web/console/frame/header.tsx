import type { Workspace } from "@berth/server";
import { Box, Building2, PanelLeft, Search } from "lucide-react";
import { useLocation } from "wouter";
import { IconButton, modKeys } from "../../ui/index.ts";
import {
  chooseWorkspace,
  useAddressQuery,
  useOwnProject,
  useProject,
  useProjectChoices,
  useWorkspace,
} from "../data/index.ts";
import { isOfProject } from "./current-screen.tsx";
import { WORDS } from "./words.ts";
import "./header.css";

type HeaderProps = { workspaces: readonly Workspace[]; onSearch: () => void; onNavigation?: () => void };

/** Above every screen: which workspace and project it is about, and the search. */
export function Header({ workspaces, onSearch, onNavigation }: HeaderProps) {
  const [location] = useLocation();
  return (
    <header className="console-header">
      {onNavigation && (
        <IconButton
          label={WORDS.showTheNavigation}
          align="start"
          onClick={onNavigation}
          data-testid="show-navigation"
        >
          <PanelLeft />
        </IconButton>
      )}
      {workspaces.length > 1 ? (
        <WorkspaceSwitch workspaces={workspaces} />
      ) : (
        <span className="header-workspace" title={WORDS.workspaceLabel}>
          <Building2 />
          {workspaces[0]?.name}
        </span>
      )}
      {isOfProject(location) && <ProjectPicker />}
      <span className="console-header-gap" />
      <button type="button" className="console-search" onClick={onSearch} data-testid="open-palette">
        <Search />
        <span className="console-search-words">{WORDS.goTo}</span>
        <kbd>{modKeys("K").join(" ")}</kbd>
      </button>
    </header>
  );
}

function WorkspaceSwitch({ workspaces }: { workspaces: readonly Workspace[] }) {
  const current = useWorkspace();
  const [, navigate] = useLocation();
  const choose = (id: string) => {
    chooseWorkspace(id);
    // What is open belongs to the other one.
    navigate("/");
  };
  return (
    <label className="header-choice">
      <Building2 />
      <span className="visually-hidden">{WORDS.workspace}</span>
      <select
        value={current ?? ""}
        onChange={(event) => choose(event.target.value)}
        data-testid="workspace-switch"
      >
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Chooses the project that the screen looks at: Berth's own, or a deployment's. */
function ProjectPicker() {
  const query = useAddressQuery();
  const { at, name } = useProject();
  const own = useOwnProject();
  const choices = useProjectChoices();
  const isKnown = at === null || choices.some(({ id }) => id === at);
  return (
    <label className="header-choice">
      <Box />
      <span className="visually-hidden">{WORDS.project}</span>
      <select
        value={at ?? ""}
        data-testid="project-picker"
        onChange={(event) => query.set({ at: event.target.value })}
      >
        <option value="">{own}</option>
        {(choices.length > 0 || !isKnown) && (
          <optgroup label={WORDS.deployments}>
            {!isKnown && <option value={at}>{name}</option>}
            {choices.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}
