import { useId } from "react";
import "./choices.css";

export type Choice = { value: string; label: string; hint?: string | undefined };

type ChoicesProps = {
  legend: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  /** Several may be chosen. */
  several?: boolean;
  /** Their list may be long. */
  scrolls?: boolean;
  onChange: (chosen: string[]) => void;
};

/** A few things to choose from, each with what it means. */
export function Choices({
  legend,
  choices,
  chosen,
  several = false,
  scrolls = false,
  onChange,
}: ChoicesProps) {
  const name = useId();
  const pick = (value: string, on: boolean) => {
    if (!several) return onChange([value]);
    onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value));
  };
  return (
    <fieldset className={scrolls ? "pick-list pick-list-scroll" : "pick-list"}>
      <legend>{legend}</legend>
      {choices.map(({ value, label, hint }) => (
        <label key={value} className="pick">
          <input
            type={several ? "checkbox" : "radio"}
            name={name}
            value={value}
            checked={chosen.includes(value)}
            data-testid={`choice-${value}`}
            onChange={(event) => pick(value, event.target.checked)}
          />
          <span>{label}</span>
          {hint !== undefined && <span className="pick-hint">{hint}</span>}
        </label>
      ))}
    </fieldset>
  );
}
