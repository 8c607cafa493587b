import { Box } from "lucide-react";
import { OWN_PROJECT, useAddressQuery, useProject, useProjectChoices } from "../data/index.ts";

/** Chooses the project that the screen looks at: Berth's own, or a deployment's. */
export function ProjectPicker() {
  const query = useAddressQuery();
  const { at, name } = useProject();
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
        <option value="">{OWN_PROJECT}</option>
        {!isKnown && <option value={at}>{name}</option>}
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
