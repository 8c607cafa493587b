import { Search, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../ui/index.ts";
import { useAddressQuery } from "../data/index.ts";
import { WORDS } from "./words.ts";
import "./filter-bar.css";

export type ListFilter = {
  /** Its name in the address. */
  name: string;
  label: string;
  kind: "search" | "choice" | "number" | "date";
  /** Of a choice; "none" is added. */
  options?: readonly { value: string; label: string }[];
  /** What no choice is called, where that is not "any". */
  none?: string;
  placeholder?: string;
};

/** What a list is narrowed by; all of it is in the address. */
export function FilterBar({ filters, children }: { filters: readonly ListFilter[]; children?: ReactNode }) {
  const query = useAddressQuery();
  const isSet = filters.some(({ name }) => query.get(name) !== "");
  const clear = () => query.set(Object.fromEntries(filters.map(({ name }) => [name, null])));
  return (
    <search className="filter-bar" data-testid="filter-bar">
      {filters.map((filter) =>
        filter.kind === "choice" ? (
          <Choice key={filter.name} filter={filter} />
        ) : (
          <Typed key={filter.name} filter={filter} />
        ),
      )}
      {isSet && (
        <Button size="small" look="quiet" icon={<X />} onClick={clear} data-testid="clear-filters">
          {WORDS.clear}
        </Button>
      )}
      {children && <span className="filter-bar-rest">{children}</span>}
    </search>
  );
}

function Choice({ filter: { name, label, options = [], none } }: { filter: ListFilter }) {
  const query = useAddressQuery();
  const id = useId();
  return (
    <span className="filter">
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <select
        id={id}
        className="filter-select"
        value={query.get(name)}
        data-testid={`filter-${name}`}
        onChange={(event) => query.set({ [name]: event.target.value })}
      >
        <option value="">{none ?? WORDS.anyOf(label)}</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Long enough for the next key, short enough to feel at once. */
const PAUSE_MS = 250;

function Typed({ filter: { name, label, kind, placeholder } }: { filter: ListFilter }) {
  const query = useAddressQuery();
  const current = query.get(name);
  const [text, setText] = useState(current);
  const id = useId();
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text === latest.current.get(name)) return;
    const timer = setTimeout(() => latest.current.set({ [name]: text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, name]);
  return (
    <span className={`filter filter-${kind}`}>
      <label htmlFor={id} className={kind === "search" ? "visually-hidden" : "filter-label"}>
        {label}
      </label>
      {kind === "search" && <Search />}
      <input
        id={id}
        type={kind === "date" ? "datetime-local" : kind}
        value={text}
        placeholder={placeholder ?? (kind === "search" ? label : undefined)}
        data-testid={`filter-${name}`}
        onChange={(event) => setText(event.target.value)}
      />
    </span>
  );
}
