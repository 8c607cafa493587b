import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";

export type AddressQuery = {
  /** What the address says under a name; "" when nothing. */
  get(name: string): string;
  /** Changes the address in place; an empty value takes the name away. */
  set(changes: Record<string, string | null>): void;
  /** The query with these changes, for a link; begins with `?` unless it is empty. */
  with(changes: Record<string, string | null>): string;
};

/** The part of the address behind `?`, where filters are kept so that a screen can be shared and reloaded. */
export function useAddressQuery(): AddressQuery {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const changed = useCallback(
    (changes: Record<string, string | null>) => changedQuery(search, changes),
    [search],
  );
  return useMemo(() => {
    const values = new URLSearchParams(search);
    return {
      get: (name) => values.get(name) ?? "",
      set: (changes) => navigate(location + changed(changes), { replace: true }),
      with: changed,
    };
  }, [search, location, navigate, changed]);
}

/** A query string with some of its values changed. */
export function changedQuery(search: string, changes: Record<string, string | null>): string {
  const values = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") values.delete(name);
    else values.set(name, value);
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}
