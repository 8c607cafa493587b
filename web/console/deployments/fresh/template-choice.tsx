import { useId } from "react";
import "./choices.css";

type TemplateChoiceProps = {
  templates: readonly { name: string; description: string }[];
  chosen: string;
  onChoose: (name: string) => void;
};

/** One of the templates in the binary. */
export function TemplateChoice({ templates, chosen, onChoose }: TemplateChoiceProps) {
  const group = useId();
  return (
    <fieldset className="source-choices">
      <legend className="field-label">Template</legend>
      {templates.map(({ name, description }) => (
        <label key={name} className="source-choice" data-testid={`template-${name}`}>
          <input type="radio" name={group} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <strong>{name}</strong>
            <span className="source-choice-note">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
