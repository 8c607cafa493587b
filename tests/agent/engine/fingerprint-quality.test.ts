import { expect, test } from "bun:test";
import { textOf, wordsOf } from "../../../agent/engine/fingerprint/words.ts";
import { AT_ONCE_MS } from "../../limits.ts";
import {
  fingerprintsOf,
  fromSingleThrower,
  type LabelledFailure,
  labelledFailures,
  type Measured,
  measured,
  seenAs,
  shuffled,
} from "./labelled-set.ts";

const SEEDS = [1, 2, 3];
/** The rules were written with these in sight. */
const SEEN = { folders: ["", "held-out", "grouping", "looked-at"], mostSplit: 0.05, mostLumped: 0 };
/** Nobody who writes the rules looks into these: what they show is what to expect of texts that nobody has tried. */
const HELD_BACK = {
  folders: ["held-back", "held-back-trades", "held-back-houses"],
  mostSplit: 0.17,
  mostLumped: 8,
};
/** Written after the rules by somebody who had not read them. Measured only: what it shows first sets its limits. */
const HELD_BACK_SECOND = {
  folders: ["held-back-second"],
  mostSplit: 1,
  mostLumped: Number.POSITIVE_INFINITY,
};

const FORMS: [string, (failures: LabelledFailure[]) => LabelledFailure[]][] = [
  ["as they are", (failures) => failures],
  ["from a single thrower", fromSingleThrower],
];
const CASES = [
  { set: "in sight", ...SEEN },
  { set: "held back", ...HELD_BACK },
  { set: "held back second", ...HELD_BACK_SECOND },
].flatMap((one) => FORMS.map(([form, make]) => ({ ...one, form, make })));

test.each(CASES)("of the labelled failures $set, $form, few are lumped and few groups split", (one) => {
  const { set, folders, form, make, mostSplit, mostLumped } = one;
  for (const seed of SEEDS) {
    // Each folder is one project: two of them may have the same words for two things.
    const all = folders.map((folder) =>
      measured(shuffled(make(labelledFailures(folder)), seed), fingerprintsOf),
    );
    const sum = (of: (each: Measured) => number) => all.reduce((total, each) => total + of(each), 0);
    const [lumped, split, several] = [
      sum((each) => each.lumped.length),
      sum((each) => each.split.length),
      sum((each) => each.several),
    ];
    console.log(
      `grouping, ${set}, ${form}: ${sum(({ texts }) => texts)} texts of ${sum(({ groups }) => groups)} kinds; ${lumped} lumped, ${split} of ${several} split (${((split / several) * 100).toFixed(1)} %)`,
    );
    // What is held back stays unread, also when this fails.
    const shown = set === "in sight" ? JSON.stringify(all, null, 1) : "";
    expect(lumped, shown).toBeLessThanOrEqual(mostLumped);
    expect(split / several, shown).toBeLessThanOrEqual(mostSplit);
  }
});

test("ten thousand failures are grouped at once", () => {
  const all = SEEN.folders.flatMap(labelledFailures);
  const many = Array.from({ length: 10_000 }, (_, at) => all[at % all.length]).filter(
    (one) => one !== undefined,
  );
  const began = performance.now();
  fingerprintsOf(many);
  const took = performance.now() - began;
  console.log(`grouping: 10,000 failures in ${Math.round(took)} ms`);
  expect(took).toBeLessThan(AT_ONCE_MS);
});

test("what is read back of a template is the template", () => {
  for (const failure of SEEN.folders.flatMap(labelledFailures)) {
    const template = textOf(wordsOf(seenAs(failure).message));
    expect(textOf(wordsOf(template))).toBe(template);
  }
});
