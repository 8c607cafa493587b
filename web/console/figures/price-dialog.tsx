import type { ModelPrice } from "@berth/server";
import { useState } from "react";
import { TextField } from "../../ui/index.ts";
import { api, useSubmission } from "../data/index.ts";
import { FormDialog } from "../ui/index.ts";
import { PRICE_WORDS as WORDS } from "./words.ts";

type PriceDialogProps = { price: Partial<ModelPrice>; onDone: () => void; onClose: () => void };

const NUMBERS = ["input", "output", "cache_read", "cache_write"] as const;
type NumberName = (typeof NUMBERS)[number];
const LABELS: Record<NumberName, string> = {
  input: WORDS.input,
  output: WORDS.output,
  cache_read: WORDS.cacheRead,
  cache_write: WORDS.cacheWrite,
};
const isNeeded = (name: NumberName) => name === "input" || name === "output";

/** Says what a model costs. */
export function PriceDialog({ price, onDone, onClose }: PriceDialogProps) {
  const [model, setModel] = useState(price.model ?? "");
  const [since, setSince] = useState(price.since?.slice(0, 10) ?? "");
  const [texts, setTexts] = useState(() =>
    Object.fromEntries(NUMBERS.map((name) => [name, textOf(price[name])])),
  );
  const [isTried, setTried] = useState(false);
  const action = useSubmission();
  const save = async () => {
    setTried(true);
    if (model.trim() === "" || NUMBERS.some((name) => isWrong(name, texts))) return undefined;
    const body = {
      model: model.trim(),
      ...(since !== "" && { since: `${since}T00:00:00Z` }),
      ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf(texts[name] ?? "")])),
    };
    const saved = await action.run(() => api<ModelPrice>("/v1/model-prices", { method: "PUT", body }));
    if (saved) onDone();
    return saved;
  };
  return (
    <FormDialog
      title={price.model ? WORDS.priceOf(price.model) : WORDS.new}
      confirmText={WORDS.save}
      action={action}
      onDo={save}
      onClose={onClose}
      testId="price-dialog"
    >
      <TextField
        label={WORDS.model}
        value={model}
        hint={WORDS.hint}
        autoFocus={!price.model}
        onChange={({ target }) => setModel(target.value)}
        data-testid="price-model"
        of="model"
        {...(isTried && model.trim() === "" && { error: WORDS.needsModel })}
      />
      <PriceFields texts={texts} isTried={isTried} onChange={setTexts} />
      <SinceField since={since} onChange={setSince} />
    </FormDialog>
  );
}

function SinceField({ since, onChange }: { since: string; onChange: (since: string) => void }) {
  return (
    <TextField
      label={WORDS.since}
      type="date"
      value={since}
      hint={WORDS.sinceHint}
      onChange={({ target }) => onChange(target.value)}
      of="since"
      data-testid="price-since"
    />
  );
}

type Texts = Record<string, string>;

const isWrong = (name: NumberName, texts: Texts): boolean => !isPrice(texts[name] ?? "", isNeeded(name));

type PriceFieldsProps = { texts: Texts; isTried: boolean; onChange: (texts: Texts) => void };

/** What is wrong stands at its field, once somebody has tried to save it. */
function PriceFields({ texts, isTried, onChange }: PriceFieldsProps) {
  return NUMBERS.map((name) => (
    <TextField
      key={name}
      of={name}
      label={WORDS.perMillion(LABELS[name])}
      inputMode="decimal"
      value={texts[name] ?? ""}
      placeholder={isNeeded(name) ? undefined : WORDS.asInput}
      onChange={({ target }) => onChange({ ...texts, [name]: target.value })}
      data-testid={`price-${name}`}
      {...(isTried && isWrong(name, texts) && { error: WORDS.notNumber })}
    />
  ));
}

const textOf = (price: number | null | undefined) =>
  price === null || price === undefined ? "" : String(price);

const numberOf = (text: string) => (text.trim() === "" ? null : Number(text.replace(",", ".")));

function isPrice(text: string, needed: boolean): boolean {
  const price = numberOf(text);
  return price === null ? !needed : price >= 0 && price <= 1_000_000;
}
