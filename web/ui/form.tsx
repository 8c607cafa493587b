import {
  type ComponentProps,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { FieldFault } from "../api/index.ts";

/** What a server said of what was sent: in words, and of which fields. */
export type Refusal = { message: string; faults: readonly FieldFault[] };

type Faults = {
  /** What is wrong with a field, until it is changed. */
  wordsAt(path: string): string | undefined;
  /** Tells that a field is there, which shows its faults itself. */
  claim(path: string): () => void;
  forget(path: string): void;
};

const FaultsHere = createContext<Faults | undefined>(undefined);

type FormProps = ComponentProps<"form"> & {
  /** Why the server did not take it. Each fault stands at its field, the rest below the fields. */
  refused: Refusal | undefined;
};

/** A form that shows what its server refused where it is to be changed, and goes to the first such field. */
export function Form({ refused, children, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { faults, left } = useFaults(refused);
  useEffect(() => {
    if (refused) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [refused]);
  return (
    <form ref={form} {...rest}>
      <FaultsHere value={faults}>{children}</FaultsHere>
      {left !== undefined && (
        <p className="form-refused" role="alert" data-testid="form-refused">
          {left}
        </p>
      )}
    </form>
  );
}

/** What was changed since a refusal. */
type Mended = { of: Refusal | undefined; paths: readonly string[] };

function useFaults(refused: Refusal | undefined): { faults: Faults; left: string | undefined } {
  const [claimed, setClaimed] = useState<readonly string[]>([]);
  const [mended, setMended] = useState<Mended>({ of: undefined, paths: [] });
  const claim = useCallback((path: string) => {
    setClaimed((before) => [...before, path]);
    return () => setClaimed((before) => before.toSpliced(before.indexOf(path), 1));
  }, []);
  const forget = useCallback(
    (path: string) =>
      setMended((before) => ({
        of: refused,
        paths: [...(before.of === refused ? before.paths : []), path],
      })),
    [refused],
  );
  return useMemo(() => {
    const gone = mended?.of === refused ? mended.paths : [];
    const placed = (refused?.faults ?? []).map((fault) => ({ ...fault, at: placeOf(fault.path, claimed) }));
    const wordsAt = (path: string) =>
      gone.includes(path) ? undefined : wordsOf(placed.filter(({ at }) => at === path));
    const lost = placed.filter(({ at }) => at === undefined);
    const left = placed.length === 0 ? refused?.message : wordsOf(lost.map((one) => ({ ...one, at: "" })));
    return { faults: { wordsAt, claim, forget }, left };
  }, [refused, claimed, mended, claim, forget]);
}

/** The field that a fault belongs to: itself, or the nearest around it. */
const placeOf = (path: string, fields: readonly string[]): string | undefined =>
  fields
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .toSorted((a, b) => b.length - a.length)[0];

/** Faults in words, with the way from the field to what is wrong in it. */
function wordsOf(faults: readonly (FieldFault & { at: string | undefined })[]): string | undefined {
  const told = faults.map(({ path, words, at = "" }) => {
    const inside = at === "" ? path : path.slice(at.length + 1);
    return inside === "" ? words : `${inside}: ${words}`;
  });
  return told.length === 0 ? undefined : told.join("; ");
}

/** What the server says of one field of the form around it, and what says that the field was changed. */
export function useFaultAt(path: string | undefined): { words?: string | undefined; onChanged?: () => void } {
  const faults = useContext(FaultsHere);
  const claim = faults?.claim;
  useLayoutEffect(() => (path === undefined ? undefined : claim?.(path)), [claim, path]);
  if (!faults || path === undefined) return {};
  return { words: faults.wordsAt(path), onChanged: () => faults.forget(path) };
}
