import { Box } from "lucide-react";
import { useAddressQuery, useOwnProject, useProject, useProjectChoices } from "../data/index.ts";

/** Chooses the project that the screen looks at: Berth's own, or a deployment's. */
export function ProjectPicker() {
  const query = useAddressQuery();
  const { at, name } = useProject();
  const own = useOwnProject();
  const choices = useProjectChoices();
  const isKnown = at === null || choices.some(({ id }) => id === at);
  return (
    <label className="header-choice">
      <Box />
      <span className="visually-hidden">Project</span>
      <select
        value={at ?? ""}
        data-testid="project-picker"
        onChange={(event) => query.set({ at: event.target.value })}
      >
        <option value="">{own}</option>
        {(choices.length > 0 || !isKnown) && (
          <optgroup label="Deployments">
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
