type Look = { on: "desk" | "phone"; width: number; height: number; colorScheme: "light" | "dark" };

const DESK = { on: "desk", width: 1440, height: 900 } as const;
const PHONE = { on: "phone", width: 390, height: 844 } as const;

/** How people see a screen. A long run has each size in each theme, else each size and each theme is there once. */
export const LOOKS: readonly Look[] = [
  { ...DESK, colorScheme: "light" },
  ...(process.env.BERTH_LONG ? ([{ ...DESK, colorScheme: "dark" }] as const) : []),
  { ...PHONE, colorScheme: "dark" },
  ...(process.env.BERTH_LONG ? ([{ ...PHONE, colorScheme: "light" }] as const) : []),
];
