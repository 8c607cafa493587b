/** @type {import("tailwindcss").Config} */
// biome-ignore lint/style/noDefaultExport: that is what Tailwind reads.
export default {
  content: ["./ui/**/*.tsx", "!./ui/plain.tsx"],
  theme: { extend: { colors: { brand: "#010203" } } },
};
