const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const small = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});

/** Dollars; those below a cent are not rounded to nothing. */
export const moneyText = (dollars: number): string =>
  dollars > 0 && dollars < 0.995 ? small.format(dollars) : cents.format(dollars);
