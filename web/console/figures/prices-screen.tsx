import type { ModelPrice, ModelPricesPage } from "@berth/server";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../ui/index.ts";
import { api, useAction, useAddressQuery, useResource } from "../data/index.ts";
import {
  Ago,
  type Column,
  ConfirmDialog,
  Loading,
  Moment,
  PageHead,
  Problem,
  Section,
  Table,
} from "../ui/index.ts";
import { PriceDialog } from "./price-dialog.tsx";
import { PRICE_WORDS as WORDS } from "./words.ts";

type DefaultPrice = ModelPricesPage["defaults"][number];

/** What models cost: what the workspace says, and the list that Berth brings. */
export function PricesScreen() {
  const query = useAddressQuery();
  const { data, error, loading, refresh } = useResource<ModelPricesPage>("/v1/model-prices");
  const asked = query.get("model");
  const [edited, setEdited] = useState<Partial<ModelPrice> | undefined>(asked ? { model: asked } : undefined);
  const [deleted, setDeleted] = useState<ModelPrice>();
  return (
    <>
      <PageHead
        title={WORDS.title}
        sub={WORDS.sub}
        back={{ href: "/figures", label: WORDS.figures }}
        actions={
          <Button look="primary" icon={<Plus />} onClick={() => setEdited({})} data-testid="new-price">
            {WORDS.new}
          </Button>
        }
      />
      {error && <Problem error={error} retry={refresh} />}
      {loading && <Loading />}
      {data && (
        <>
          <Section title={WORDS.own}>
            <Table
              label={WORDS.own}
              testId="own-prices"
              columns={ownColumns(setEdited, setDeleted)}
              rows={data.own}
              rowKey={({ id }) => id}
              empty={<p className="figure-note">{WORDS.ownNone}</p>}
            />
          </Section>
          <Section title={WORDS.defaults} note={WORDS.defaultsNote(data.defaults_date)}>
            <Table
              label={WORDS.defaults}
              testId="default-prices"
              columns={defaultColumns(setEdited)}
              rows={data.defaults}
              rowKey={({ model }) => model}
            />
          </Section>
        </>
      )}
      {edited && <PriceDialog price={edited} onDone={refresh} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteDialog price={deleted} onDone={refresh} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

const priceColumns = <Price extends DefaultPrice>(): Column<Price>[] => [
  { name: WORDS.input, width: "6rem", align: "end", cell: ({ input }) => dollars.format(input) },
  { name: WORDS.output, width: "6rem", align: "end", cell: ({ output }) => dollars.format(output) },
  { name: WORDS.cacheRead, width: "9rem", align: "end", cell: ({ cache_read }) => cached(cache_read) },
  { name: WORDS.cacheWrite, width: "9rem", align: "end", cell: ({ cache_write }) => cached(cache_write) },
];

const cached = (price: number | null) =>
  price === null ? <span className="never">{WORDS.asInput}</span> : dollars.format(price);

const modelColumn = {
  name: WORDS.model,
  width: "minmax(10rem, 2fr)",
  cell: ({ model }: DefaultPrice) => model,
};

const defaultColumns = (edit: (price: Partial<ModelPrice>) => void): Column<DefaultPrice>[] => [
  modelColumn,
  ...priceColumns<DefaultPrice>(),
  {
    ...{ name: WORDS.change, hideName: true, width: "4rem", align: "end" },
    cell: (price) => (
      <IconButton label={WORDS.changeOf(price.model)} size="small" align="end" onClick={() => edit(price)}>
        <Pencil />
      </IconButton>
    ),
  },
];

const ownColumns = (
  edit: (price: Partial<ModelPrice>) => void,
  remove: (price: ModelPrice) => void,
): Column<ModelPrice>[] => [
  modelColumn,
  ...priceColumns<ModelPrice>(),
  {
    ...{ name: WORDS.since, width: "8rem" },
    cell: ({ since }) => (since === null ? WORDS.always : <Moment at={since} />),
  },
  { name: WORDS.changed, width: "7rem", cell: ({ updated_at }) => <Ago at={updated_at} />, wideOnly: true },
  {
    ...{ name: WORDS.change, hideName: true, width: "6rem", align: "end" },
    cell: (price) => (
      <span className="row-actions">
        <IconButton label={WORDS.changeOf(price.model)} size="small" align="end" onClick={() => edit(price)}>
          <Pencil />
        </IconButton>
        <IconButton
          label={WORDS.deleteOf(price.model)}
          size="small"
          align="end"
          onClick={() => remove(price)}
        >
          <Trash2 />
        </IconButton>
      </span>
    ),
  },
];

type DeleteDialogProps = { price: ModelPrice; onDone: () => void; onClose: () => void };

function DeleteDialog({ price, onDone, onClose }: DeleteDialogProps) {
  const { run, busy } = useAction();
  const remove = async () => {
    await run(() => api(`/v1/model-prices/${price.id}`, { method: "DELETE" }), WORDS.wasDeleted(price.model));
    onDone();
  };
  return (
    <ConfirmDialog
      title={WORDS.deleteQuestion(price.model)}
      text={<p>{WORDS.deleteNote}</p>}
      confirmText={WORDS.delete}
      busy={busy}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
