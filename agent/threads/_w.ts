export const wireValues = (v: unknown) => v;
